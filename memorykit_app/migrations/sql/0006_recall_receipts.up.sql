ALTER TABLE memorykit_recall_receipt ENABLE ROW LEVEL SECURITY;
ALTER TABLE memorykit_recall_receipt FORCE ROW LEVEL SECURITY;
CREATE POLICY memorykit_scope ON memorykit_recall_receipt USING (scope_id = ANY ((
    SELECT string_to_array(nullif(current_setting('memorykit.scope', true), ''), ',')::uuid[]
)::uuid[]));
REVOKE TRUNCATE ON memorykit_recall_receipt FROM CURRENT_USER;

-- A receipt holds ids, codes, numbers and times: each name and each kind of value is one that is known.
CREATE FUNCTION memorykit_receipt_plain(items jsonb, dropped jsonb, asked jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_typeof(items) = 'array' AND jsonb_typeof(dropped) = 'array'
       AND jsonb_typeof(asked) = 'object'
       AND NOT EXISTS (
           SELECT FROM jsonb_array_elements(
               CASE WHEN jsonb_typeof(items) = 'array' THEN items ELSE '[]' END
           ) AS item
            WHERE jsonb_typeof(item) <> 'object'
               OR item - ARRAY['id', 'version', 'score', 'ranks'] <> '{}'
               OR coalesce(item ->> 'id', '') !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
               OR jsonb_typeof(item -> 'version') IS DISTINCT FROM 'number'
               OR jsonb_typeof(item -> 'score') IS DISTINCT FROM 'number'
               OR jsonb_typeof(item -> 'ranks') IS DISTINCT FROM 'object'
               OR (item -> 'ranks') - ARRAY['exact', 'full_text', 'vector'] <> '{}'
               OR jsonb_path_exists(item, '$.ranks.* ? (@.type() != "number")')
       )
       AND NOT EXISTS (
           SELECT FROM jsonb_array_elements(
               CASE WHEN jsonb_typeof(dropped) = 'array' THEN dropped ELSE '[]' END
           ) AS entry
            WHERE jsonb_typeof(entry) <> 'object'
               OR entry - ARRAY['id', 'reason'] <> '{}'
               OR coalesce(entry ->> 'id', '') !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
               OR coalesce(entry ->> 'reason', '') NOT IN ('tokens', 'duplicate')
       )
       AND asked - ARRAY['kinds', 'items', 'tokens', 'as_of', 'known_at', 'always_on'] = '{}'
       AND NOT jsonb_path_exists(
           asked, '$.kinds[*] ? (@.type() != "string" || !(@ like_regex "^[a-z_]{1,32}$"))'
       )
       AND NOT jsonb_path_exists(asked, '$.items ? (@.type() != "number")')
       AND NOT jsonb_path_exists(asked, '$.tokens ? (@.type() != "number")')
       AND NOT jsonb_path_exists(asked, '$.always_on ? (@.type() != "boolean")')
       AND coalesce(asked ->> 'as_of', '') ~ '^[0-9T:.+Z-]{0,40}$'
       AND coalesce(asked ->> 'known_at', '') ~ '^[0-9T:.+Z-]{0,40}$'
$$;
ALTER TABLE memorykit_recall_receipt
    ADD CONSTRAINT memorykit_recall_receipt_plain
        CHECK (memorykit_receipt_plain(items, dropped, asked)),
    ADD CONSTRAINT memorykit_recall_receipt_codes
        CHECK (
            query_digest ~ '^[0-9a-f]{64}$'
            AND run_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]*$|^$'
            AND host_key ~ '^[A-Za-z0-9_-]*$'
            AND entry ~ '^[a-z]+$'
            AND degraded <@ ARRAY['exact', 'full_text', 'vector']::varchar[]
        ),
    ADD CONSTRAINT memorykit_recall_receipt_days CHECK (kept_until > created_at);

-- Written once. It goes when its days are over, by the clock of the database.
CREATE TRIGGER memorykit_recall_receipt_no_change BEFORE UPDATE ON memorykit_recall_receipt
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();
CREATE TRIGGER memorykit_recall_receipt_no_delete BEFORE DELETE ON memorykit_recall_receipt
    FOR EACH ROW WHEN (OLD.kept_until > statement_timestamp())
    EXECUTE FUNCTION memorykit_refuse_change();
CREATE TRIGGER memorykit_recall_receipt_open BEFORE INSERT ON memorykit_recall_receipt
    FOR EACH ROW EXECUTE FUNCTION memorykit_scope_open();
