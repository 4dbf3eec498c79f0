-- Feedback stays in the scope of its memory, under row-level security like every scoped table.
ALTER TABLE memorykit_feedback ADD CONSTRAINT memorykit_feedback_memory_fk
    FOREIGN KEY (scope_id, memory_id) REFERENCES memorykit_memory (scope_id, id);
ALTER TABLE memorykit_feedback ENABLE ROW LEVEL SECURITY;
ALTER TABLE memorykit_feedback FORCE ROW LEVEL SECURITY;
CREATE POLICY memorykit_scope ON memorykit_feedback USING (scope_id = ANY ((SELECT string_to_array(
    nullif(current_setting('memorykit.scope', true), ''), ',')::uuid[])::uuid[]));
REVOKE TRUNCATE ON memorykit_feedback FROM CURRENT_USER;

-- Nothing is attached to an erased memory or in a closed scope.
CREATE TRIGGER memorykit_feedback_parent_insert AFTER INSERT ON memorykit_feedback
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();
CREATE TRIGGER memorykit_feedback_parent_update AFTER UPDATE ON memorykit_feedback
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_parent_living();

-- An actor may change the verdict, and nothing else.
CREATE FUNCTION memorykit_feedback_update() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.scope_id, NEW.memory_id, NEW.actor, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.scope_id, OLD.memory_id, OLD.actor, OLD.created_at)
    THEN
        PERFORM memorykit_refuse('memorykit_feedback_fixed', 'only the verdict of a feedback changes');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_feedback_update BEFORE UPDATE ON memorykit_feedback
    FOR EACH ROW EXECUTE FUNCTION memorykit_feedback_update();

-- What was extracted starts as a candidate, whoever writes it.
CREATE FUNCTION memorykit_memory_extracted() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM memorykit_refuse('memorykit_memory_extracted', 'what was extracted starts as a candidate');
    RETURN NULL;
END
$$;
CREATE TRIGGER memorykit_memory_extracted BEFORE INSERT ON memorykit_memory
    FOR EACH ROW WHEN (NEW.provenance = 'agent_extracted' AND NEW.state <> 'candidate')
    EXECUTE FUNCTION memorykit_memory_extracted();

-- A model decides nothing about candidates and touches only what models alone have touched.
CREATE FUNCTION memorykit_revision_model() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.action NOT IN ('create', 'correct', 'supersede', 'forget') THEN
        PERFORM memorykit_refuse('memorykit_revision_model', 'a model does not take this step');
    END IF;
    IF EXISTS (
        SELECT 1 FROM memorykit_revision AS earlier
         WHERE earlier.scope_id = NEW.scope_id AND earlier.memory_id = NEW.memory_id
           AND earlier.actor NOT LIKE 'model:%'
           AND (earlier.version = 1 OR earlier.actor NOT LIKE 'system:%')
    ) THEN
        PERFORM memorykit_refuse('memorykit_revision_model', 'a model touches only what models wrote');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_revision_model BEFORE INSERT ON memorykit_revision
    FOR EACH ROW WHEN (NEW.actor LIKE 'model:%') EXECUTE FUNCTION memorykit_revision_model();
