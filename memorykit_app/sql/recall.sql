-- begin --
SAVEPOINT memorykit_recall

-- prepare --
SELECT set_config('statement_timeout', %(statement_ms)s, true),
       -- The joins below are written in the order to run them: looking for another one takes
       -- longer than the search itself.
       set_config('join_collapse_limit', '1', true),
       set_config('from_collapse_limit', '1', true),
       set_config('jit', 'off', true)

-- undo --
ROLLBACK TO SAVEPOINT memorykit_recall

-- settings --
SELECT current_setting('statement_timeout'), current_setting('join_collapse_limit'),
       current_setting('from_collapse_limit'), current_setting('jit')

-- restore --
SELECT set_config('statement_timeout', %s, true), set_config('join_collapse_limit', %s, true),
       set_config('from_collapse_limit', %s, true), set_config('jit', %s, true)

-- exact --
exact_hit AS MATERIALIZED (
    SELECT memory.id,
           row_number() OVER (
               ORDER BY memory.importance DESC, memory.updated_at DESC, memory.id
           ) AS place
      FROM memorykit_memory AS memory
     WHERE memory.scope_id = %(scope)s AND memory.state = 'active'
       AND memory.kind = ANY (%(kinds)s::text[]) AND memory.key = ANY (%(keys)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
     ORDER BY place
     LIMIT %(exact_limit)s
)

-- no_exact --
exact_hit AS (SELECT NULL::uuid AS id, NULL::bigint AS place WHERE false)

-- pinned --
pinned_hit AS MATERIALIZED (
    SELECT memory.id,
           row_number() OVER (
               ORDER BY memory.importance DESC, memory.updated_at DESC, memory.id
           ) AS place
      FROM memorykit_memory AS memory
     WHERE memory.scope_id = %(scope)s AND memory.state = 'active' AND memory.pinned
       AND memory.kind = ANY (%(kinds)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
     ORDER BY place
     LIMIT %(pinned_limit)s
)

-- no_pinned --
pinned_hit AS (SELECT NULL::uuid AS id, NULL::bigint AS place WHERE false)

-- matched_terms --
posting AS (
    SELECT term.memory_id, count(*) AS matched
      FROM memorykit_term AS term
     WHERE term.scope_id = %(scope)s AND term.term = ANY (%(terms)s::text[])
     GROUP BY term.memory_id
), full_text_score AS (
    SELECT memory.id, memory.importance, memory.updated_at, posting.matched::float8 AS score,
           max(posting.matched) OVER () AS best
      FROM posting
      JOIN memorykit_memory AS memory
        ON memory.scope_id = %(scope)s AND memory.id = posting.memory_id
     WHERE memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
), full_text_hit AS MATERIALIZED (
    SELECT id, score,
           CASE WHEN score * 2 > best THEN row_number() OVER (
               ORDER BY score DESC, importance DESC, updated_at DESC, id
           ) END AS place
      FROM full_text_score
), full_text_usual AS (
    SELECT cardinality(%(terms)s::text[])::float8 AS possible
)

-- bm25 --
record AS MATERIALIZED (
    SELECT count(*)::float8 AS total
      FROM memorykit_memory AS memory
     WHERE memory.scope_id = %(scope)s AND memory.state = 'active'
), posting AS MATERIALIZED (
    SELECT term.memory_id, term.term, term.weight::float8 AS weight
      FROM memorykit_term AS term
     WHERE term.scope_id = %(scope)s AND term.term = ANY (%(terms)s::text[])
), asked AS MATERIALIZED (
    SELECT holder.term,
           ln(1 + (record.total - holder.count + 0.5) / (holder.count + 0.5)) AS telling
      FROM record
     CROSS JOIN (SELECT term, count(*) FROM posting GROUP BY term) AS holder
), full_text_usual AS MATERIALIZED (
    SELECT (%(saturation)s::float8 + 1) * (
               coalesce(sum(asked.telling), 0)
               + (cardinality(%(terms)s::text[]) - count(asked.term))
                 * ln(1 + (max(record.total) + 0.5) / 0.5)
           ) AS possible
      FROM record LEFT JOIN asked ON true
), matched AS (
    SELECT memory.id, memory.importance, memory.updated_at, posting.weight, asked.telling,
           memory.bytes / avg(memory.bytes) OVER () AS length
      FROM posting
      JOIN asked ON asked.term = posting.term
     CROSS JOIN LATERAL (
        SELECT memory.id, memory.importance, memory.updated_at,
               octet_length(memory.content)::float8 AS bytes
          FROM memorykit_memory AS memory
         WHERE memory.scope_id = %(scope)s AND memory.id = posting.memory_id
           AND memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
           AND memory.valid_from <= %(at)s::timestamptz
           AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
        OFFSET 0
     ) AS memory
), full_text_score AS (
    SELECT id, importance, updated_at,
           sum(telling * weight * (%(saturation)s::float8 + 1)
               / (weight + %(saturation)s::float8
                  * (1 - %(length)s::float8 + %(length)s::float8 * length))) AS score
      FROM matched
     GROUP BY id, importance, updated_at
), full_text_hit AS MATERIALIZED (
    SELECT id, score,
           row_number() OVER (ORDER BY score DESC, importance DESC, updated_at DESC, id) AS place
      FROM full_text_score
)

-- no_full_text --
full_text_hit AS (SELECT NULL::uuid AS id, NULL::float8 AS score, NULL::bigint AS place WHERE false),
full_text_usual AS (SELECT NULL::float8 AS possible)

-- centre --
-- Ids first, from the index alone, and then their vectors: ordered with the vectors at hand, the
-- planner would rather read the whole scope and sort it.
oldest AS MATERIALIZED (
    SELECT embedding.memory_id
      FROM memorykit_embedding AS embedding
     WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
     ORDER BY embedding.memory_id
     LIMIT %(sample)s / 2
), newest AS MATERIALIZED (
    SELECT embedding.memory_id
      FROM memorykit_embedding AS embedding
     WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
       AND embedding.memory_id > (
           SELECT memory_id FROM oldest ORDER BY memory_id DESC LIMIT 1
       )
     ORDER BY embedding.memory_id DESC
     LIMIT %(sample)s / 2
), sample AS MATERIALIZED (
    SELECT embedding.vector
      FROM (SELECT memory_id FROM oldest UNION ALL SELECT memory_id FROM newest) AS drawn
     CROSS JOIN LATERAL (
        SELECT l2_normalize(embedding.vector) AS vector
          FROM memorykit_embedding AS embedding
         WHERE embedding.scope_id = %(scope)s AND embedding.memory_id = drawn.memory_id
           AND embedding.profile_id = %(profile)s AND embedding.dimension = %(dimension)s
        OFFSET 0
     ) AS embedding
), middle AS MATERIALIZED (
    SELECT avg(vector) AS mean, count(*) AS size FROM sample
), centre AS MATERIALIZED (
    SELECT coalesce(
               %(vector)s::vector
               - mean * array_fill(%(centre)s::real, ARRAY[%(dimension)s::integer])::vector,
               %(vector)s::vector
           ) AS vector,
           -(%(vector)s::vector <#> mean) AS similarity,
           -(mean <#> mean) AS coherence,
           size
      FROM middle
), vector_usual AS MATERIALIZED (
    SELECT avg(1 - (sample.vector <=> centre.vector)) AS mean,
           stddev_pop(1 - (sample.vector <=> centre.vector)) AS spread
      FROM sample, centre
)

-- plain_centre --
centre AS (
    SELECT %(vector)s::vector AS vector, NULL::float8 AS similarity, NULL::float8 AS coherence,
           0::bigint AS size
), vector_usual AS (SELECT NULL::float8 AS mean, NULL::float8 AS spread)

-- no_centre --
centre AS (
    SELECT NULL::vector AS vector, NULL::float8 AS similarity, NULL::float8 AS coherence,
           0::bigint AS size
), vector_usual AS (SELECT NULL::float8 AS mean, NULL::float8 AS spread)

-- vector --
-- Sorted by distance first and looked up in that order: the records of 50 are read, not of all.
vector_hit AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY distance, importance DESC, updated_at DESC, id) AS place
      FROM (
        SELECT memory.id, memory.importance, memory.updated_at, nearest.distance
          FROM (
            SELECT embedding.memory_id, embedding.content_hash,
                   embedding.vector <=> (SELECT vector FROM centre) AS distance
              FROM memorykit_embedding AS embedding
             WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
               AND embedding.dimension = %(dimension)s
             ORDER BY distance
          ) AS nearest
         CROSS JOIN LATERAL (
            SELECT memory.id, memory.importance, memory.updated_at
              FROM memorykit_memory AS memory
             WHERE memory.scope_id = %(scope)s AND memory.id = nearest.memory_id
               AND memory.content_hash = nearest.content_hash
               AND memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
               AND memory.valid_from <= %(at)s::timestamptz
               AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
            OFFSET 0
         ) AS memory
         ORDER BY nearest.distance, memory.importance DESC, memory.updated_at DESC, memory.id
         LIMIT %(vector_limit)s
      ) AS hit
)

-- no_vector --
vector_hit AS (SELECT NULL::uuid AS id, NULL::bigint AS place WHERE false)

-- near --
pair AS MATERIALIZED (
    SELECT DISTINCT other.memory_id AS id, mine.memory_id AS seed_id,
           sign(mine.message_index - other.message_index)::integer AS step
      FROM seed
     CROSS JOIN LATERAL (
        SELECT source.memory_id, source.kind, source.ref, source.message_index
          FROM memorykit_source AS source
         WHERE source.scope_id = %(scope)s AND source.memory_id = seed.id
        OFFSET 0
     ) AS mine
     CROSS JOIN LATERAL (
        SELECT source.memory_id, source.message_index
          FROM memorykit_source AS source
         WHERE source.scope_id = %(scope)s AND source.kind = mine.kind
           AND source.ref = mine.ref
           AND source.message_index BETWEEN mine.message_index - 1 AND mine.message_index + 1
           AND source.memory_id <> mine.memory_id
        OFFSET 0
     ) AS other
), near AS MATERIALIZED (
    SELECT id, array_agg(seed_id ORDER BY seed_id, step) AS seeds,
           array_agg(step ORDER BY seed_id, step) AS steps
      FROM pair
     GROUP BY id
)

-- no_near --
near AS (
    SELECT NULL::uuid AS id, NULL::uuid[] AS seeds, NULL::integer[] AS steps WHERE false
)

-- similarity --
  LEFT JOIN LATERAL (
    SELECT 1 - (embedding.vector <=> %(vector)s::vector) AS plain,
           1 - (embedding.vector <=> usual.centre) AS centred
      FROM memorykit_embedding AS embedding
     WHERE embedding.scope_id = %(scope)s AND embedding.memory_id = candidate.id
       AND embedding.profile_id = %(profile)s AND embedding.dimension = %(dimension)s
       AND embedding.content_hash = memory.content_hash
    OFFSET 0
  ) AS similarity ON true

-- no_similarity --
 CROSS JOIN (SELECT NULL::float8 AS plain, NULL::float8 AS centred) AS similarity

-- ranks --
WITH {exact}, {pinned}, {full_text}, {centre}, {vector}, seed AS MATERIALIZED (
    SELECT id FROM exact_hit
     UNION SELECT id FROM full_text_hit WHERE place <= %(full_text_limit)s
     UNION SELECT id FROM vector_hit
), {near}, gathered AS (
    SELECT id, place AS exact, NULL::bigint AS full_text, NULL::bigint AS vector,
           NULL::bigint AS pinned, NULL::float8 AS score, NULL::uuid[] AS seeds,
           NULL::integer[] AS steps
      FROM exact_hit
     UNION ALL
    SELECT id, NULL, CASE WHEN place <= %(full_text_limit)s THEN place END, NULL, NULL, score,
           NULL, NULL
      FROM full_text_hit
     UNION ALL
    SELECT id, NULL, NULL, place, NULL, NULL, NULL, NULL FROM vector_hit
     UNION ALL
    SELECT id, NULL, NULL, NULL, place, NULL, NULL, NULL FROM pinned_hit
     UNION ALL
    SELECT id, NULL, NULL, NULL, NULL, NULL, seeds, steps FROM near
), candidate AS MATERIALIZED (
    SELECT id, max(exact) AS exact, max(full_text) AS full_text, max(vector) AS vector,
           max(pinned) AS pinned, max(score) AS score, max(seeds) AS seeds, max(steps) AS steps
      FROM gathered
     GROUP BY id
    HAVING coalesce(max(exact), max(full_text), max(vector), max(pinned)) IS NOT NULL
        OR max(seeds) IS NOT NULL
), usual AS MATERIALIZED (
    SELECT vector_usual.mean, vector_usual.spread, centre.similarity, centre.coherence,
           centre.size, full_text_usual.possible, centre.vector AS centre
      FROM centre CROSS JOIN vector_usual CROSS JOIN full_text_usual
)
SELECT memory.id, memory.version, memory.importance, memory.updated_at, memory.valid_from,
       candidate.exact, candidate.full_text, candidate.vector, candidate.pinned,
       candidate.score, similarity.plain, similarity.centred,
       candidate.seeds, candidate.steps,
       right(rtrim(memory.content), 1) IN ('?', '？'),
       usual.mean, usual.spread, usual.similarity, usual.coherence, usual.size, usual.possible
  FROM candidate
 CROSS JOIN usual
 CROSS JOIN LATERAL (
    SELECT memory.id, memory.version, memory.importance, memory.updated_at, memory.valid_from,
           memory.content, memory.content_hash
      FROM memorykit_memory AS memory
     WHERE memory.scope_id = %(scope)s AND memory.id = candidate.id
       AND memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
    OFFSET 0
 ) AS memory
{similarity}

-- read --
SELECT memory.id, memory.version, memory.kind, memory.key, memory.content,
       memory.importance, memory.confidence, memory.valid_from, memory.valid_until,
       memory.provenance, memory.pinned,
       ARRAY (
           SELECT DISTINCT source.ref
             FROM memorykit_source AS source
            WHERE source.scope_id = %(scope)s AND source.memory_id = memory.id
            ORDER BY source.ref
       ) AS source_refs
  FROM memorykit_memory AS memory
 WHERE memory.scope_id = %(scope)s AND memory.id = ANY (%(ids)s::uuid[])
   AND memory.state = 'active'
   AND memory.valid_from <= %(at)s::timestamptz
   AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)

-- past --
-- The newest revision of each record that was written by then, when it was active.
SELECT newest.memory_id, newest.snapshot
  FROM (
    SELECT DISTINCT ON (revision.memory_id)
           revision.memory_id, revision.snapshot, revision.content_erased
      FROM memorykit_revision AS revision
     WHERE revision.scope_id = %(scope)s AND revision.created_at <= %(known_at)s::timestamptz
     ORDER BY revision.memory_id, revision.version DESC
  ) AS newest
 WHERE newest.snapshot ->> 'state' = 'active' AND NOT newest.content_erased
