-- begin --
SAVEPOINT memorykit_recall

-- limit --
SELECT set_config('statement_timeout', %(statement_ms)s, true)

-- undo --
ROLLBACK TO SAVEPOINT memorykit_recall

-- timeout --
SELECT current_setting('statement_timeout')

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
), full_text_score AS MATERIALIZED (
    SELECT memory.id, memory.importance, memory.updated_at, posting.matched::float8 AS score,
           max(posting.matched) OVER () AS best
      FROM posting
      JOIN memorykit_memory AS memory
        ON memory.scope_id = %(scope)s AND memory.id = posting.memory_id
     WHERE memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
), full_text_hit AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY score DESC, importance DESC, updated_at DESC, id) AS place
      FROM full_text_score
     WHERE score * 2 > best
     ORDER BY place
     LIMIT %(full_text_limit)s
), full_text_usual AS (
    SELECT cardinality(%(terms)s::text[])::float8 AS possible
)

-- bm25 --
record AS MATERIALIZED (
    SELECT count(*)::float8 AS total
      FROM memorykit_memory AS memory
     WHERE memory.scope_id = %(scope)s AND memory.state = 'active'
), posting AS MATERIALIZED (
    SELECT term.memory_id, term.term, term.weight::float8 AS weight,
           count(*) OVER (PARTITION BY term.term)::float8 AS holders
      FROM memorykit_term AS term
     WHERE term.scope_id = %(scope)s AND term.term = ANY (%(terms)s::text[])
), asked AS (
    SELECT posting.term,
           ln(1 + (max(record.total) - max(posting.holders) + 0.5)
                / (max(posting.holders) + 0.5)) AS telling
      FROM posting, record
     GROUP BY posting.term
), full_text_usual AS MATERIALIZED (
    SELECT (%(saturation)s::float8 + 1) * (
               coalesce(sum(asked.telling), 0)
               + (cardinality(%(terms)s::text[]) - count(asked.term))
                 * ln(1 + (max(record.total) + 0.5) / 0.5)
           ) AS possible
      FROM record LEFT JOIN asked ON true
), matched AS (
    SELECT memory.id, memory.importance, memory.updated_at, posting.weight,
           ln(1 + (record.total - posting.holders + 0.5) / (posting.holders + 0.5)) AS telling,
           octet_length(memory.content) / avg(octet_length(memory.content)) OVER () AS length
      FROM record, posting
      JOIN memorykit_memory AS memory
        ON memory.scope_id = %(scope)s AND memory.id = posting.memory_id
     WHERE memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
       AND memory.valid_from <= %(at)s::timestamptz
       AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
), full_text_score AS MATERIALIZED (
    SELECT id, importance, updated_at,
           sum(telling * weight * (%(saturation)s::float8 + 1)
               / (weight + %(saturation)s::float8
                  * (1 - %(length)s::float8 + %(length)s::float8 * length::float8))) AS score
      FROM matched
     GROUP BY id, importance, updated_at
), full_text_hit AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY score DESC, importance DESC, updated_at DESC, id) AS place
      FROM full_text_score
     ORDER BY place
     LIMIT %(full_text_limit)s
)

-- no_full_text --
full_text_score AS (SELECT NULL::uuid AS id, NULL::float8 AS score WHERE false),
full_text_hit AS (SELECT NULL::uuid AS id, NULL::bigint AS place WHERE false),
full_text_usual AS (SELECT NULL::float8 AS possible)

-- centre --
oldest AS MATERIALIZED (
    SELECT embedding.memory_id, l2_normalize(embedding.vector) AS vector
      FROM memorykit_embedding AS embedding
     WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
       AND embedding.dimension = %(dimension)s
     ORDER BY embedding.memory_id
     LIMIT %(sample)s / 2
), newest AS MATERIALIZED (
    SELECT embedding.memory_id, l2_normalize(embedding.vector) AS vector
      FROM memorykit_embedding AS embedding
     WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
       AND embedding.dimension = %(dimension)s
       AND embedding.memory_id > (
           SELECT memory_id FROM oldest ORDER BY memory_id DESC LIMIT 1
       )
     ORDER BY embedding.memory_id DESC
     LIMIT %(sample)s / 2
), sample AS MATERIALIZED (
    SELECT vector FROM oldest UNION ALL SELECT vector FROM newest
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
vector_hit AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY distance, importance DESC, updated_at DESC, id) AS place
      FROM (
        SELECT memory.id, memory.importance, memory.updated_at,
               embedding.vector <=> (SELECT vector FROM centre) AS distance
          FROM memorykit_embedding AS embedding
          JOIN memorykit_memory AS memory
            ON memory.scope_id = %(scope)s AND memory.id = embedding.memory_id
           AND memory.content_hash = embedding.content_hash
         WHERE embedding.scope_id = %(scope)s AND embedding.profile_id = %(profile)s
           AND embedding.dimension = %(dimension)s
           AND memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
           AND memory.valid_from <= %(at)s::timestamptz
           AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)
         ORDER BY distance, memory.importance DESC, memory.updated_at DESC, memory.id
         LIMIT %(vector_limit)s
      ) AS nearest
)

-- no_vector --
vector_hit AS (SELECT NULL::uuid AS id, NULL::bigint AS place WHERE false)

-- near --
near AS MATERIALIZED (
    SELECT DISTINCT other.memory_id AS id, mine.memory_id AS seed_id,
           sign(mine.message_index - other.message_index)::integer AS step
      FROM seed
      JOIN memorykit_source AS mine
        ON mine.scope_id = %(scope)s AND mine.memory_id = seed.id
      JOIN memorykit_source AS other
        ON other.scope_id = %(scope)s AND other.kind = mine.kind AND other.ref = mine.ref
       AND other.message_index BETWEEN mine.message_index - 1 AND mine.message_index + 1
       AND other.memory_id <> mine.memory_id
)

-- no_near --
near AS (
    SELECT NULL::uuid AS id, NULL::uuid AS seed_id, NULL::integer AS step WHERE false
)

-- similarity --
similarity AS MATERIALIZED (
    SELECT embedding.memory_id AS id, embedding.content_hash,
           1 - (embedding.vector <=> %(vector)s::vector) AS plain,
           1 - (embedding.vector <=> centre.vector) AS centred
      FROM candidate
      JOIN memorykit_embedding AS embedding
        ON embedding.scope_id = %(scope)s AND embedding.memory_id = candidate.id
       AND embedding.profile_id = %(profile)s AND embedding.dimension = %(dimension)s
     CROSS JOIN centre
)

-- no_similarity --
similarity AS (
    SELECT NULL::uuid AS id, NULL::text AS content_hash, NULL::float8 AS plain,
           NULL::float8 AS centred
     WHERE false
)

-- ranks --
WITH {exact}, {pinned}, {full_text}, {centre}, {vector}, seed AS MATERIALIZED (
    SELECT id FROM exact_hit
     UNION SELECT id FROM full_text_hit
     UNION SELECT id FROM vector_hit
), {near}, candidate AS MATERIALIZED (
    SELECT id FROM seed UNION SELECT id FROM near UNION SELECT id FROM pinned_hit
), {similarity}
SELECT memory.id, memory.version, memory.importance, memory.updated_at, memory.valid_from,
       exact_hit.place, full_text_hit.place, vector_hit.place, pinned_hit.place,
       full_text_score.score,
       similarity.plain, similarity.centred,
       ARRAY (SELECT seed_id FROM near WHERE near.id = memory.id ORDER BY seed_id, step),
       ARRAY (SELECT step FROM near WHERE near.id = memory.id ORDER BY seed_id, step),
       right(rtrim(memory.content), 1) IN ('?', '？'),
       vector_usual.mean, vector_usual.spread, centre.similarity, centre.coherence, centre.size,
       full_text_usual.possible
  FROM candidate
  JOIN memorykit_memory AS memory
    ON memory.scope_id = %(scope)s AND memory.id = candidate.id
 CROSS JOIN centre CROSS JOIN vector_usual CROSS JOIN full_text_usual
  LEFT JOIN exact_hit ON exact_hit.id = memory.id
  LEFT JOIN full_text_hit ON full_text_hit.id = memory.id
  LEFT JOIN full_text_score ON full_text_score.id = memory.id
  LEFT JOIN vector_hit ON vector_hit.id = memory.id
  LEFT JOIN pinned_hit ON pinned_hit.id = memory.id
  LEFT JOIN similarity
    ON similarity.id = memory.id AND similarity.content_hash = memory.content_hash
 WHERE memory.state = 'active' AND memory.kind = ANY (%(kinds)s::text[])
   AND memory.valid_from <= %(at)s::timestamptz
   AND (memory.valid_until IS NULL OR memory.valid_until > %(at)s::timestamptz)

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
