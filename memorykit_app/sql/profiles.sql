-- missing --
-- Active memories of a scope whose present text has no vector of the profile and no job that will make it.
SELECT memory.id
  FROM memorykit_memory AS memory
 WHERE memory.scope_id = %(scope)s AND memory.state = 'active' AND memory.id > %(after)s
   AND NOT EXISTS (
       SELECT 1 FROM memorykit_embedding AS embedding
        WHERE embedding.scope_id = memory.scope_id AND embedding.memory_id = memory.id
          AND embedding.profile_id = %(profile)s AND embedding.content_hash = memory.content_hash
   )
   AND NOT EXISTS (
       SELECT 1 FROM memorykit_job AS job
        WHERE job.scope_id = memory.scope_id AND job.target_id = memory.id
          AND job.kind = 'embed' AND job.profile = %(profile)s AND job.state IN ('pending', 'leased')
   )
 ORDER BY memory.id
 LIMIT %(limit)s;

-- queue --
-- Ask for vectors; what is asked for already is left alone.
INSERT INTO memorykit_job (
    id, scope_id, kind, state, target_id, profile, attempts, max_attempts, due_at, lease_token, lease_owner,
    failure_code, created_at, updated_at
)
SELECT asked.id, %(scope)s, 'embed', 'pending', asked.target_id, %(profile)s, 0, %(max_attempts)s,
       clock_timestamp(), 0, '', '', clock_timestamp(), clock_timestamp()
  FROM unnest(%(ids)s::uuid[], %(targets)s::uuid[]) AS asked (id, target_id)
    ON CONFLICT DO NOTHING;

-- coverage --
-- Of one scope: active memories, those whose present text has a vector, their characters, all vectors.
SELECT count(*), count(embedding.id), coalesce(sum(char_length(memory.content)), 0),
       (SELECT count(*) FROM memorykit_embedding
         WHERE scope_id = %(scope)s AND profile_id = %(profile)s)
  FROM memorykit_memory AS memory
  LEFT JOIN memorykit_embedding AS embedding
    ON embedding.scope_id = memory.scope_id AND embedding.memory_id = memory.id
   AND embedding.profile_id = %(profile)s AND embedding.content_hash = memory.content_hash
 WHERE memory.scope_id = %(scope)s AND memory.state = 'active';

-- jobs --
-- Jobs of a profile that are open, and those that failed with nothing asked for since.
SELECT count(*) FILTER (WHERE job.state IN ('pending', 'leased')),
       count(DISTINCT job.target_id) FILTER (
           WHERE job.state = 'failed' AND NOT EXISTS (
               SELECT 1 FROM memorykit_job AS later
                WHERE later.scope_id = job.scope_id AND later.target_id = job.target_id
                  AND later.kind = 'embed' AND later.profile = job.profile
                  AND later.created_at > job.created_at
           )
       )
  FROM memorykit_job AS job
 WHERE job.kind = 'embed' AND job.profile = %(profile)s;

-- pending --
SELECT count(*) FROM memorykit_job
 WHERE kind = 'embed' AND profile = %(profile)s AND state = 'pending';

-- cancel --
UPDATE memorykit_job
   SET state = 'cancelled', lease_owner = '', lease_until = NULL,
       updated_at = clock_timestamp(), finished_at = clock_timestamp()
 WHERE kind = 'embed' AND profile = %(profile)s AND state IN ('pending', 'leased');

-- take --
DELETE FROM memorykit_embedding
 WHERE id IN (
       SELECT id FROM memorykit_embedding
        WHERE scope_id = %(scope)s AND profile_id = %(profile)s
        LIMIT %(limit)s
   ) AND scope_id = %(scope)s;

-- sample --
-- Records of a scope by a digest of their ids: spread over it, and the same ones each time.
SELECT id, content FROM memorykit_memory
 WHERE scope_id = %(scope)s AND state = 'active'
 ORDER BY md5(id::text)
 LIMIT %(limit)s;
