-- server --
-- Version number of the server, version of the extension (installed or to be had), rights of this role.
SELECT current_setting('server_version_num')::integer,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'),
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
       (SELECT rolbypassrls FROM pg_roles WHERE rolname = current_user);

-- unsealed --
-- Tables on which row-level security is not on, not forced, or without the policy of the scope.
SELECT wanted.name
  FROM unnest(%(tables)s::text[]) AS wanted (name)
  LEFT JOIN pg_class AS class ON class.oid = to_regclass(wanted.name)
 WHERE class.oid IS NULL OR NOT class.relrowsecurity OR NOT class.relforcerowsecurity
    OR NOT EXISTS (
        SELECT 1 FROM pg_policy WHERE polrelid = class.oid AND polname = 'memorykit_scope'
    )
 ORDER BY 1;

-- coverage --
-- Of one scope: active memories, those whose words have a vector of the profile, those that are not erased.
SELECT count(*) FILTER (WHERE memory.state = 'active'),
       count(embedding.memory_id) FILTER (WHERE memory.state = 'active'),
       count(*) FILTER (WHERE memory.state <> 'erased')
  FROM memorykit_memory AS memory
  LEFT JOIN memorykit_embedding AS embedding
    ON embedding.scope_id = memory.scope_id AND embedding.memory_id = memory.id
   AND embedding.profile_id = %(profile)s AND embedding.content_hash = memory.content_hash
 WHERE memory.scope_id = %(scope)s;
