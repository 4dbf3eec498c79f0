-- flow --
-- Count by day the candidates that began to wait, stopped waiting, and became late or stopped being late.
WITH step AS (
    SELECT memory_id, version, state, created_at, lag(state) OVER own AS before
      FROM memorykit_revision
     WHERE scope_id = ANY(%(scopes)s)
    WINDOW own AS (PARTITION BY memory_id ORDER BY version)
), edge AS (
    SELECT state, created_at AS began, lead(created_at) OVER own AS ended
      FROM step
     WHERE (state = 'candidate') <> (coalesce(before, '') = 'candidate')
    WINDOW own AS (PARTITION BY memory_id ORDER BY version)
), wait AS (
    SELECT began, ended, began + %(late)s AS late
      FROM edge
     WHERE state = 'candidate'
), event AS (
    SELECT began AS at, 1 AS waiting, 0 AS late FROM wait
     UNION ALL SELECT ended, -1, 0 FROM wait WHERE ended IS NOT NULL
     UNION ALL SELECT late, 0, 1 FROM wait WHERE late <= coalesce(ended, %(until)s)
     UNION ALL SELECT ended, 0, -1 FROM wait WHERE late <= ended
)
SELECT (greatest(at, %(since)s) AT TIME ZONE %(zone)s::text)::date AS day, sum(waiting), sum(late)
  FROM event
 WHERE at < %(until)s
 GROUP BY day;

-- times --
-- Give by day the median and the ninth decile, in seconds, of how long a decided candidate had waited.
WITH step AS (
    SELECT memory_id, version, state, action, created_at,
           lag(state) OVER own AS before,
           lag(created_at) OVER own AS began
      FROM memorykit_revision
     WHERE scope_id = ANY(%(scopes)s)
    WINDOW own AS (PARTITION BY memory_id ORDER BY version)
)
SELECT (created_at AT TIME ZONE %(zone)s::text)::date AS day,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM created_at - began))::float8,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM created_at - began))::float8
  FROM step
 WHERE before = 'candidate' AND action IN ('activate', 'dismiss')
   AND created_at >= %(since)s AND created_at < %(until)s
 GROUP BY day;

-- decisions --
-- Count the steps of each kind by day.
SELECT (created_at AT TIME ZONE %(zone)s::text)::date AS day, action, count(*)
  FROM memorykit_revision
 WHERE scope_id = ANY(%(scopes)s) AND created_at >= %(since)s AND created_at < %(until)s
 GROUP BY day, action;

-- reasons --
-- Count why candidates were dismissed, by who had proposed them.
SELECT memory.created_by, revision.reason, count(*)
  FROM memorykit_revision AS revision
  JOIN memorykit_memory AS memory
    ON memory.scope_id = revision.scope_id AND memory.id = revision.memory_id
 WHERE revision.scope_id = ANY(%(scopes)s) AND revision.action = 'dismiss'
   AND revision.created_at >= %(since)s AND revision.created_at < %(until)s
 GROUP BY memory.created_by, revision.reason;

-- ages --
-- Count the waiting candidates by how many seconds ago they were made, at the given steps.
SELECT width_bucket(extract(epoch FROM %(now)s - created_at)::float8, %(steps)s::float8[]), count(*)
  FROM memorykit_memory
 WHERE scope_id = ANY(%(scopes)s) AND state = 'candidate'
 GROUP BY 1;

-- quotes --
-- Count by day what was extracted, and how much of it has its quote in the source.
SELECT (created_at AT TIME ZONE %(zone)s::text)::date AS day, count(*),
       count(*) FILTER (WHERE NOT 'quote_not_found' = ANY(flags))
  FROM memorykit_memory
 WHERE scope_id = ANY(%(scopes)s) AND provenance = 'agent_extracted' AND state <> 'erased'
   AND created_at >= %(since)s AND created_at < %(until)s
 GROUP BY day;

-- work --
-- Count jobs by kind and state, and those that needed more than one try.
SELECT kind, state, count(*), count(*) FILTER (WHERE attempts > 1)
  FROM memorykit_job
 WHERE scope_id = ANY(%(scopes)s)
 GROUP BY kind, state;

-- coverage --
-- Count the active memories, and those with a vector of their present text under a profile.
SELECT count(*),
       count(*) FILTER (WHERE EXISTS (
           SELECT FROM memorykit_embedding AS embedding
            WHERE embedding.scope_id = memory.scope_id AND embedding.memory_id = memory.id
              AND embedding.profile_id = %(profile)s
              AND embedding.content_hash = memory.content_hash))
  FROM memorykit_memory AS memory
 WHERE scope_id = ANY(%(scopes)s) AND state = 'active';
