-- Children stay in the scope of their memory: one key over both columns.
ALTER TABLE memorykit_source ADD CONSTRAINT memorykit_source_memory_fk
    FOREIGN KEY (scope_id, memory_id) REFERENCES memorykit_memory (scope_id, id);
ALTER TABLE memorykit_revision ADD CONSTRAINT memorykit_revision_memory_fk
    FOREIGN KEY (scope_id, memory_id) REFERENCES memorykit_memory (scope_id, id);
ALTER TABLE memorykit_term ADD CONSTRAINT memorykit_term_memory_fk
    FOREIGN KEY (scope_id, memory_id) REFERENCES memorykit_memory (scope_id, id);
ALTER TABLE memorykit_embedding ADD CONSTRAINT memorykit_embedding_memory_fk
    FOREIGN KEY (scope_id, memory_id) REFERENCES memorykit_memory (scope_id, id);

-- A vector has the dimension of its profile, and a length: a zero vector is never found again.
ALTER TABLE memorykit_embedding
    ADD CONSTRAINT memorykit_embedding_profile_fk
        FOREIGN KEY (profile_id, dimension) REFERENCES memorykit_profile (name, dimension),
    ADD CONSTRAINT memorykit_embedding_vector
        CHECK (vector_dims(vector) = dimension AND vector_norm(vector) > 0);

-- The planner's statistics would keep text that was erased.
ALTER TABLE memorykit_memory
    ALTER COLUMN key SET STATISTICS 0,
    ALTER COLUMN content SET STATISTICS 0,
    ALTER COLUMN content_hash SET STATISTICS 0;
ALTER TABLE memorykit_source
    ALTER COLUMN ref SET STATISTICS 0,
    ALTER COLUMN evidence_hash SET STATISTICS 0,
    ALTER COLUMN quote SET STATISTICS 0;
ALTER TABLE memorykit_revision
    ALTER COLUMN note SET STATISTICS 0,
    ALTER COLUMN snapshot SET STATISTICS 0;
ALTER TABLE memorykit_term ALTER COLUMN term SET STATISTICS 0;
ALTER TABLE memorykit_embedding
    ALTER COLUMN content_hash SET STATISTICS 0,
    ALTER COLUMN vector SET STATISTICS 0;
ALTER TABLE memorykit_transcript ALTER COLUMN messages SET STATISTICS 0;

-- Row-level security: without `memorykit.scope` in this transaction there are no rows. nullif keeps a
-- reused connection, where the setting is '', from raising; the sub-select is evaluated once a query.
DO $$
DECLARE
    sealed text;
BEGIN
    FOREACH sealed IN ARRAY ARRAY[
        'memorykit_memory', 'memorykit_source', 'memorykit_revision', 'memorykit_term',
        'memorykit_embedding', 'memorykit_transcript', 'memorykit_idempotency',
        'memorykit_fingerprint', 'memorykit_erasure_receipt'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', sealed);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', sealed);
        EXECUTE format(
            'CREATE POLICY memorykit_scope ON %I USING (scope_id = ANY ((SELECT string_to_array('
            'nullif(current_setting(''memorykit.scope'', true), ''''), '','')::uuid[])::uuid[]))',
            sealed
        );
        -- TRUNCATE passes row security and row triggers.
        EXECUTE format('REVOKE TRUNCATE ON %I FROM CURRENT_USER', sealed);
    END LOOP;
END
$$;

-- The transition table, as domain/states.py has it; a test compares the two.
CREATE FUNCTION memorykit_arrows()
RETURNS TABLE (verb text, source text, target text, left_as text)
LANGUAGE sql IMMUTABLE AS $$
    VALUES
        ('create', NULL, 'candidate', NULL),
        ('create', NULL, 'active', NULL),
        ('activate', 'candidate', 'active', NULL),
        ('correct', 'candidate', 'candidate', NULL),
        ('correct', 'active', 'active', NULL),
        ('correct', 'inactive', 'inactive', NULL),
        ('dismiss', 'candidate', 'inactive', NULL),
        ('supersede', 'active', 'inactive', NULL),
        ('forget', 'active', 'inactive', NULL),
        ('expire', 'candidate', 'inactive', NULL),
        ('expire', 'active', 'inactive', NULL),
        ('restore', 'inactive', 'active', 'active'),
        ('restore', 'inactive', 'candidate', 'candidate'),
        ('revert', 'active', 'candidate', NULL),
        ('erase', 'candidate', 'erased', NULL),
        ('erase', 'active', 'erased', NULL),
        ('erase', 'inactive', 'erased', NULL),
        ('hold', 'candidate', 'candidate', NULL),
        ('hold', 'active', 'active', NULL),
        ('hold', 'inactive', 'inactive', NULL),
        ('release', 'candidate', 'candidate', NULL),
        ('release', 'active', 'active', NULL),
        ('release', 'inactive', 'inactive', NULL),
        ('pin', 'active', 'active', NULL),
        ('unpin', 'active', 'active', NULL),
        ('unpin', 'inactive', 'inactive', NULL)
$$;

CREATE FUNCTION memorykit_refuse(rule text, message text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'integrity_constraint_violation', CONSTRAINT = rule, MESSAGE = message;
END
$$;

CREATE FUNCTION memorykit_refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM memorykit_refuse(TG_NAME::text, TG_TABLE_NAME || ' rows are not changed or deleted');
    RETURN NULL;
END
$$;

-- What a snapshot keeps when its text is erased.
CREATE FUNCTION memorykit_redacted(snapshot jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(field.key, field.value), '{}'::jsonb)
      FROM jsonb_each(snapshot) AS field
     WHERE field.key IN (
        'id', 'kind', 'state', 'left_as', 'version', 'importance', 'confidence', 'provenance',
        'created_by', 'pinned', 'held', 'valid_from', 'valid_until', 'created_at', 'updated_at'
     )
$$;

-- A new memory starts as candidate or active at version 1, in a scope that is not closed.
CREATE FUNCTION memorykit_memory_insert() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    closed timestamptz;
BEGIN
    IF NEW.version <> 1 OR NEW.state NOT IN ('candidate', 'active') THEN
        PERFORM memorykit_refuse('memorykit_memory_arrow', 'a memory starts at version 1 as candidate or active');
    END IF;
    SELECT closed_at INTO closed FROM memorykit_scope WHERE id = NEW.scope_id FOR SHARE;
    IF closed IS NOT NULL THEN
        PERFORM memorykit_refuse('memorykit_scope_closed', 'the scope is closed');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_memory_insert BEFORE INSERT ON memorykit_memory
    FOR EACH ROW EXECUTE FUNCTION memorykit_memory_insert();

-- Every change is one version step along an arrow; identity never changes; a hold stops erase and correct.
CREATE FUNCTION memorykit_memory_update() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'erased' THEN
        PERFORM memorykit_refuse('memorykit_memory_arrow', 'an erased memory is final');
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM memorykit_arrows() AS arrow
         WHERE arrow.source = OLD.state AND arrow.target = NEW.state
    ) THEN
        PERFORM memorykit_refuse('memorykit_memory_arrow', 'no such transition');
    END IF;
    IF NEW.version <> OLD.version + 1 OR NEW.updated_at < OLD.updated_at THEN
        PERFORM memorykit_refuse('memorykit_memory_version', 'a change raises version by one and never goes back in time');
    END IF;
    IF (NEW.id, NEW.scope_id, NEW.kind, NEW.created_at, NEW.created_by, NEW.provenance)
        IS DISTINCT FROM (OLD.id, OLD.scope_id, OLD.kind, OLD.created_at, OLD.created_by, OLD.provenance)
    THEN
        PERFORM memorykit_refuse('memorykit_memory_identity', 'identity columns do not change');
    END IF;
    IF NEW.key <> OLD.key AND NEW.state <> 'erased'
        AND NOT (OLD.state = 'candidate' AND NEW.state = 'candidate')
    THEN
        PERFORM memorykit_refuse('memorykit_memory_identity', 'the key changes on a candidate only');
    END IF;
    IF OLD.held AND (NEW.state = 'erased' OR NEW.content <> OLD.content OR NEW.key <> OLD.key) THEN
        PERFORM memorykit_refuse('memorykit_memory_held', 'a held memory is not erased or corrected');
    END IF;
    IF NEW.state = 'inactive' AND NEW.left_as <>
        (CASE WHEN OLD.state = 'inactive' THEN OLD.left_as ELSE OLD.state END)
    THEN
        PERFORM memorykit_refuse('memorykit_memory_left_as', 'left_as names the state that was left');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_memory_update BEFORE UPDATE ON memorykit_memory
    FOR EACH ROW EXECUTE FUNCTION memorykit_memory_update();
CREATE TRIGGER memorykit_memory_no_delete BEFORE DELETE ON memorykit_memory
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();

-- At commit each change has its revision, only an active memory has terms, an erased one has nothing left.
-- The row's own scope is set for the look-up and restored: a commit may cover two scopes.
CREATE FUNCTION memorykit_memory_settled() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    outer_scope text := coalesce(current_setting('memorykit.scope', true), '');
    newest integer;
BEGIN
    PERFORM set_config('memorykit.scope', NEW.scope_id::text, true);
    IF NOT EXISTS (
        SELECT 1 FROM memorykit_revision AS revision
         WHERE revision.scope_id = NEW.scope_id AND revision.memory_id = NEW.id
           AND revision.version = NEW.version
    ) THEN
        PERFORM memorykit_refuse('memorykit_memory_revision', 'a change without its revision');
    END IF;
    SELECT version INTO newest FROM memorykit_memory WHERE scope_id = NEW.scope_id AND id = NEW.id;
    IF newest = NEW.version AND NEW.state <> 'active' AND EXISTS (
        SELECT 1 FROM memorykit_term WHERE memory_id = NEW.id AND scope_id = NEW.scope_id
    ) THEN
        PERFORM memorykit_refuse('memorykit_term_active', 'only an active memory has terms');
    END IF;
    IF NEW.state = 'erased' AND (
        EXISTS (SELECT 1 FROM memorykit_source WHERE memory_id = NEW.id AND scope_id = NEW.scope_id)
        OR EXISTS (SELECT 1 FROM memorykit_embedding WHERE memory_id = NEW.id AND scope_id = NEW.scope_id)
        OR EXISTS (
            SELECT 1 FROM memorykit_revision
             WHERE memory_id = NEW.id AND scope_id = NEW.scope_id AND NOT content_erased
        )
    ) THEN
        PERFORM memorykit_refuse('memorykit_memory_erased_whole', 'an erased memory keeps no source, vector or text');
    END IF;
    PERFORM set_config('memorykit.scope', outer_scope, true);
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER memorykit_memory_settled AFTER INSERT OR UPDATE ON memorykit_memory
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memorykit_memory_settled();

-- A revision tells what just happened to its memory: same version, same state, a permitted arrow.
CREATE FUNCTION memorykit_revision_insert() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    now_row memorykit_memory%ROWTYPE;
    state_before text;
    left_before text;
BEGIN
    SELECT * INTO now_row FROM memorykit_memory WHERE scope_id = NEW.scope_id AND id = NEW.memory_id;
    IF now_row.version IS DISTINCT FROM NEW.version OR now_row.state <> NEW.state
        OR NEW.snapshot ->> 'state' IS DISTINCT FROM NEW.state
        OR (NEW.snapshot ->> 'version')::integer IS DISTINCT FROM NEW.version
        OR (NEW.state <> 'erased' AND NEW.snapshot ->> 'content' IS DISTINCT FROM now_row.content)
    THEN
        PERFORM memorykit_refuse('memorykit_revision_true', 'a revision repeats its memory as it is now');
    END IF;
    SELECT state, nullif(snapshot ->> 'left_as', '') INTO state_before, left_before
      FROM memorykit_revision
     WHERE scope_id = NEW.scope_id AND memory_id = NEW.memory_id AND version = NEW.version - 1;
    IF NOT EXISTS (
        SELECT 1 FROM memorykit_arrows() AS arrow
         WHERE arrow.verb = NEW.action AND arrow.target = NEW.state
           AND arrow.source IS NOT DISTINCT FROM state_before
           AND (arrow.left_as IS NULL OR arrow.left_as = left_before)
    ) OR (NEW.action = 'expire' AND now_row.held) THEN
        PERFORM memorykit_refuse('memorykit_revision_arrow', 'the action does not lead from the state before to this one');
    END IF;
    IF NEW.content_erased <> (NEW.action = 'erase')
        OR (NEW.content_erased AND (NEW.snapshot <> memorykit_redacted(NEW.snapshot) OR NEW.note <> ''))
    THEN
        PERFORM memorykit_refuse('memorykit_revision_redacted', 'an erase revision holds no text');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_revision_insert BEFORE INSERT ON memorykit_revision
    FOR EACH ROW EXECUTE FUNCTION memorykit_revision_insert();

-- A revision can be redacted once its memory is erased, and never edited.
CREATE FUNCTION memorykit_revision_update() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.content_erased OR NOT NEW.content_erased
        OR NEW.snapshot <> memorykit_redacted(OLD.snapshot) OR NEW.note <> ''
        OR (NEW.id, NEW.scope_id, NEW.memory_id, NEW.version, NEW.action, NEW.state, NEW.actor,
            NEW.reason, NEW.related_id, NEW.created_at)
           IS DISTINCT FROM
           (OLD.id, OLD.scope_id, OLD.memory_id, OLD.version, OLD.action, OLD.state, OLD.actor,
            OLD.reason, OLD.related_id, OLD.created_at)
        OR NOT EXISTS (
            SELECT 1 FROM memorykit_memory
             WHERE scope_id = OLD.scope_id AND id = OLD.memory_id AND state = 'erased'
        )
    THEN
        PERFORM memorykit_refuse('memorykit_revision_append_only', 'a revision is redacted by erase and never edited');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_revision_update BEFORE UPDATE ON memorykit_revision
    FOR EACH ROW EXECUTE FUNCTION memorykit_revision_update();
CREATE TRIGGER memorykit_revision_no_delete BEFORE DELETE ON memorykit_revision
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();

-- Nothing is attached to an erased memory; the share lock makes a racing erase wait or be seen.
CREATE FUNCTION memorykit_parent_living() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    parent record;
BEGIN
    FOR parent IN
        SELECT memory.state FROM memorykit_memory AS memory
         WHERE (memory.scope_id, memory.id) IN (SELECT added.scope_id, added.memory_id FROM added)
           FOR SHARE
    LOOP
        IF parent.state = 'erased' OR (TG_TABLE_NAME = 'memorykit_term' AND parent.state <> 'active') THEN
            PERFORM memorykit_refuse('memorykit_parent_living', 'nothing is attached to a memory in this state');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER memorykit_source_parent_insert AFTER INSERT ON memorykit_source
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_source_parent_update AFTER UPDATE ON memorykit_source
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_term_parent_insert AFTER INSERT ON memorykit_term
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_term_parent_update AFTER UPDATE ON memorykit_term
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_embedding_parent_insert AFTER INSERT ON memorykit_embedding
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_embedding_parent_update AFTER UPDATE ON memorykit_embedding
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();

-- Receipts are written once.
CREATE TRIGGER memorykit_erasure_receipt_no_change BEFORE UPDATE OR DELETE ON memorykit_erasure_receipt
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();

-- A fingerprint is lifted by a person, and never edited.
CREATE FUNCTION memorykit_fingerprint_update() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.scope_id, NEW.digest, NEW.receipt_id, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.scope_id, OLD.digest, OLD.receipt_id, OLD.created_at)
        OR (NEW.lifted_at IS NOT NULL AND NEW.lifted_by NOT LIKE 'person:%')
    THEN
        PERFORM memorykit_refuse('memorykit_fingerprint_lift', 'a fingerprint is lifted by a person and never edited');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_fingerprint_update BEFORE UPDATE ON memorykit_fingerprint
    FOR EACH ROW EXECUTE FUNCTION memorykit_fingerprint_update();
CREATE TRIGGER memorykit_fingerprint_no_delete BEFORE DELETE ON memorykit_fingerprint
    FOR EACH ROW EXECUTE FUNCTION memorykit_refuse_change();

-- A scope is closed for good; its parts and salt never change.
CREATE FUNCTION memorykit_scope_update() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.tenant_id, NEW.subject_type, NEW.subject_id, NEW.salt, NEW.created_at)
        IS DISTINCT FROM
        (OLD.id, OLD.tenant_id, OLD.subject_type, OLD.subject_id, OLD.salt, OLD.created_at)
        OR OLD.closed_at IS NOT NULL
    THEN
        PERFORM memorykit_refuse('memorykit_scope_fixed', 'a scope is closed once and otherwise never changes');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_scope_update BEFORE UPDATE ON memorykit_scope
    FOR EACH ROW EXECUTE FUNCTION memorykit_scope_update();
