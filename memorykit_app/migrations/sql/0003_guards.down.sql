DROP TRIGGER memorykit_scope_update ON memorykit_scope;
DROP TRIGGER memorykit_fingerprint_no_delete ON memorykit_fingerprint;
DROP TRIGGER memorykit_fingerprint_update ON memorykit_fingerprint;
DROP TRIGGER memorykit_erasure_receipt_no_change ON memorykit_erasure_receipt;
DROP TRIGGER memorykit_embedding_parent_update ON memorykit_embedding;
DROP TRIGGER memorykit_embedding_parent_insert ON memorykit_embedding;
DROP TRIGGER memorykit_term_parent_update ON memorykit_term;
DROP TRIGGER memorykit_term_parent_insert ON memorykit_term;
DROP TRIGGER memorykit_source_parent_update ON memorykit_source;
DROP TRIGGER memorykit_source_parent_insert ON memorykit_source;
DROP TRIGGER memorykit_revision_no_delete ON memorykit_revision;
DROP TRIGGER memorykit_revision_update ON memorykit_revision;
DROP TRIGGER memorykit_revision_insert ON memorykit_revision;
DROP TRIGGER memorykit_memory_settled ON memorykit_memory;
DROP TRIGGER memorykit_memory_no_delete ON memorykit_memory;
DROP TRIGGER memorykit_memory_update ON memorykit_memory;
DROP TRIGGER memorykit_memory_insert ON memorykit_memory;
DROP FUNCTION memorykit_scope_update, memorykit_fingerprint_update, memorykit_parent_living,
    memorykit_revision_update, memorykit_revision_insert, memorykit_memory_settled,
    memorykit_memory_update, memorykit_memory_insert, memorykit_redacted, memorykit_refuse_change,
    memorykit_refuse, memorykit_arrows;

DO $$
DECLARE
    sealed text;
BEGIN
    FOREACH sealed IN ARRAY ARRAY[
        'memorykit_memory', 'memorykit_source', 'memorykit_revision', 'memorykit_term',
        'memorykit_embedding', 'memorykit_transcript', 'memorykit_idempotency',
        'memorykit_fingerprint', 'memorykit_erasure_receipt'
    ] LOOP
        EXECUTE format('DROP POLICY memorykit_scope ON %I', sealed);
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', sealed);
        EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', sealed);
        EXECUTE format('GRANT TRUNCATE ON %I TO CURRENT_USER', sealed);
    END LOOP;
END
$$;

ALTER TABLE memorykit_embedding
    DROP CONSTRAINT memorykit_embedding_vector,
    DROP CONSTRAINT memorykit_embedding_profile_fk,
    DROP CONSTRAINT memorykit_embedding_memory_fk;
ALTER TABLE memorykit_term DROP CONSTRAINT memorykit_term_memory_fk;
ALTER TABLE memorykit_revision DROP CONSTRAINT memorykit_revision_memory_fk;
ALTER TABLE memorykit_source DROP CONSTRAINT memorykit_source_memory_fk;
