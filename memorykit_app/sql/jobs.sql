-- enqueue --
-- Write a pending job, due at once by the database's clock, which alone leases live by.
INSERT INTO memorykit_job (id, scope_id, kind, state, target_id, profile, attempts, max_attempts,
       due_at, lease_token, lease_owner, failure_code, created_at, updated_at)
VALUES (%(id)s, %(scope)s, %(kind)s, 'pending', %(target)s, %(profile)s, 0, %(max_attempts)s,
       statement_timestamp(), 0, '', '', statement_timestamp(), statement_timestamp())
ON CONFLICT DO NOTHING;

-- redrive --
-- Put a job that ended without its work back at the start of the queue, with all attempts before it.
UPDATE memorykit_job AS job
   SET state = 'pending', attempts = 0, max_attempts = %(max_attempts)s, failure_code = '',
       due_at = clock_timestamp(), updated_at = clock_timestamp(), finished_at = NULL
  FROM memorykit_scope AS scope
 WHERE job.id = %(id)s AND job.state IN ('failed', 'cancelled')
   AND scope.id = job.scope_id AND scope.closed_at IS NULL
RETURNING job.id;

-- cancel --
-- End a job that is not done. Whoever holds it finds the lease gone and writes nothing.
UPDATE memorykit_job
   SET state = 'cancelled', lease_owner = '', lease_until = NULL,
       updated_at = clock_timestamp(), finished_at = clock_timestamp()
 WHERE id = %(id)s AND state IN ('pending', 'leased', 'failed')
RETURNING id;

-- cancel_work --
-- End the open work of a scope, or what of it is about one target.
UPDATE memorykit_job
   SET state = 'cancelled', lease_owner = '', lease_until = NULL,
       updated_at = clock_timestamp(), finished_at = clock_timestamp()
 WHERE scope_id = %(scope)s AND state IN ('pending', 'leased')
   AND (%(target)s::uuid IS NULL OR target_id = %(target)s::uuid)
RETURNING id;

-- counts --
-- Count jobs by kind and state, with the age in seconds of the longest due one of each.
SELECT kind, state, count(*),
       coalesce(extract(epoch FROM clock_timestamp() - min(due_at)
           FILTER (WHERE state = 'pending' AND due_at <= clock_timestamp())), 0)::float8
  FROM memorykit_job
 WHERE %(scope)s::uuid IS NULL OR scope_id = %(scope)s::uuid
 GROUP BY kind, state
 ORDER BY kind, state;

-- stuck --
-- Count leases that ran out longer ago than a sweep may take to notice.
SELECT count(*) FROM memorykit_job
 WHERE state = 'leased' AND lease_until <= clock_timestamp() - make_interval(secs => %(seconds)s);
