ALTER TABLE memorykit_seal ENABLE ROW LEVEL SECURITY;
ALTER TABLE memorykit_seal FORCE ROW LEVEL SECURITY;
CREATE POLICY memorykit_scope ON memorykit_seal USING (scope_id = ANY ((
    SELECT string_to_array(nullif(current_setting('memorykit.scope', true), ''), ',')::uuid[]
)::uuid[]));
REVOKE TRUNCATE ON memorykit_seal FROM CURRENT_USER;

-- Written once, and never taken away.
CREATE TRIGGER memorykit_seal_no_change BEFORE UPDATE OR DELETE ON memorykit_seal
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();
