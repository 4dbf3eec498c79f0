-- claim --
-- Take due jobs of one kind, oldest first. SKIP LOCKED: two workers never wait for each other.
WITH due AS MATERIALIZED (
    SELECT id
      FROM memorykit_job
     WHERE kind = %(kind)s AND state = 'pending' AND due_at <= clock_timestamp()
     ORDER BY due_at, id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
UPDATE memorykit_job AS job
   SET state = 'leased',
       attempts = job.attempts + 1,
       lease_token = job.lease_token + 1,
       lease_owner = %(owner)s,
       lease_until = clock_timestamp() + make_interval(secs => %(seconds)s),
       updated_at = clock_timestamp()
  FROM due, memorykit_scope AS scope
 WHERE job.id = due.id AND scope.id = job.scope_id
RETURNING job.id, job.lease_token, job.kind, job.target_id, job.profile, job.attempts, job.max_attempts,
          scope.tenant_id, scope.subject_type, scope.subject_id;

-- extend --
-- Lengthen the leases that are still held; the ids that come back are those.
UPDATE memorykit_job AS job
   SET lease_until = clock_timestamp() + make_interval(secs => %(seconds)s), updated_at = clock_timestamp()
  FROM unnest(%(ids)s::uuid[], %(tokens)s::bigint[]) AS held (id, token)
 WHERE job.id = held.id AND job.lease_token = held.token
   AND job.state = 'leased' AND job.lease_until > clock_timestamp()
RETURNING job.id;

-- complete --
-- Finish in the transaction that stores the results. The token is the fence.
UPDATE memorykit_job AS job
   SET state = 'completed', lease_owner = '', lease_until = NULL, failure_code = '',
       result_count = %(results)s, updated_at = clock_timestamp(), finished_at = clock_timestamp()
  FROM unnest(%(ids)s::uuid[], %(tokens)s::bigint[]) AS held (id, token)
 WHERE job.id = held.id AND job.lease_token = held.token
   AND job.state = 'leased' AND job.lease_until > clock_timestamp()
RETURNING job.id;

-- fail --
-- Give a job back to wait its turn, or end it. One that was asked for anew meanwhile is not kept twice.
UPDATE memorykit_job AS job
   SET state = CASE
           WHEN %(final)s OR job.attempts >= job.max_attempts THEN 'failed'
           WHEN EXISTS (
               SELECT 1 FROM memorykit_job AS other
                WHERE other.scope_id = job.scope_id AND other.kind = job.kind
                  AND other.target_id = job.target_id AND other.profile = job.profile
                  AND other.state = 'pending'
           ) THEN 'cancelled'
           ELSE 'pending'
       END,
       finished_at = CASE
           WHEN %(final)s OR job.attempts >= job.max_attempts THEN clock_timestamp()
           WHEN EXISTS (
               SELECT 1 FROM memorykit_job AS other
                WHERE other.scope_id = job.scope_id AND other.kind = job.kind
                  AND other.target_id = job.target_id AND other.profile = job.profile
                  AND other.state = 'pending'
           ) THEN clock_timestamp()
       END,
       lease_owner = '', lease_until = NULL, failure_code = %(code)s,
       due_at = clock_timestamp() + make_interval(secs => %(wait)s), updated_at = clock_timestamp()
 WHERE job.id = %(id)s AND job.lease_token = %(token)s
   AND job.state = 'leased' AND job.lease_until > clock_timestamp()
RETURNING job.state;

-- rescue --
-- Free the jobs whose lease ran out: back to the queue, or failed when the attempts are used up.
WITH expired AS MATERIALIZED (
    SELECT job.id,
           EXISTS (
               SELECT 1 FROM memorykit_job AS other
                WHERE other.scope_id = job.scope_id AND other.kind = job.kind
                  AND other.target_id = job.target_id AND other.profile = job.profile
                  AND other.state = 'pending'
           ) AS asked_anew
      FROM memorykit_job AS job
     WHERE job.state = 'leased' AND job.lease_until <= clock_timestamp()
     ORDER BY job.lease_until
     LIMIT 500
       FOR UPDATE SKIP LOCKED
)
UPDATE memorykit_job AS job
   SET state = CASE
           WHEN job.attempts >= job.max_attempts THEN 'failed'
           WHEN expired.asked_anew THEN 'cancelled'
           ELSE 'pending'
       END,
       finished_at = CASE
           WHEN job.attempts >= job.max_attempts OR expired.asked_anew THEN clock_timestamp()
       END,
       failure_code = CASE WHEN job.attempts >= job.max_attempts THEN 'lease_exhausted' ELSE job.failure_code END,
       lease_owner = '', lease_until = NULL, due_at = clock_timestamp(), updated_at = clock_timestamp()
  FROM expired
 WHERE job.id = expired.id
RETURNING job.id, job.state;

-- waiting --
-- Tell whether work is due whose bell may be lost.
SELECT EXISTS (
    SELECT 1 FROM memorykit_job
     WHERE state = 'pending' AND due_at <= clock_timestamp() - make_interval(secs => %(seconds)s)
);
