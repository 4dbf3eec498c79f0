-- A closed scope takes erases and nothing else; the release of a hold only makes way for one.
CREATE FUNCTION memorykit_scope_open() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    closed timestamptz;
BEGIN
    IF TG_TABLE_NAME = 'memorykit_transcript' THEN
        -- Nothing else holds a transcript back, so closing waits for it or is seen by it.
        SELECT closed_at INTO closed FROM memorykit_scope WHERE id = NEW.scope_id FOR SHARE;
    ELSE
        SELECT closed_at INTO closed FROM memorykit_scope WHERE id = NEW.scope_id;
    END IF;
    IF closed IS NOT NULL THEN
        PERFORM memorykit_refuse('memorykit_scope_closed', 'the scope is closed');
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_memory_open BEFORE UPDATE ON memorykit_memory
    FOR EACH ROW WHEN (NEW.state <> 'erased' AND NOT (OLD.held AND NOT NEW.held))
    EXECUTE FUNCTION memorykit_scope_open();
CREATE TRIGGER memorykit_transcript_open BEFORE INSERT OR UPDATE ON memorykit_transcript
    FOR EACH ROW EXECUTE FUNCTION memorykit_scope_open();
CREATE TRIGGER memorykit_idempotency_open BEFORE INSERT ON memorykit_idempotency
    FOR EACH ROW EXECUTE FUNCTION memorykit_scope_open();
-- Not on update: a sweep that gives a lease back must not stop at one closed scope.
CREATE TRIGGER memorykit_job_open BEFORE INSERT ON memorykit_job
    FOR EACH ROW EXECUTE FUNCTION memorykit_scope_open();

-- As before, and nothing is attached to a memory of a closed scope.
CREATE OR REPLACE FUNCTION memorykit_parent_living() RETURNS trigger
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
    IF EXISTS (
        SELECT 1 FROM memorykit_scope AS scope
         WHERE scope.id IN (SELECT added.scope_id FROM added) AND scope.closed_at IS NOT NULL
    ) THEN
        PERFORM memorykit_refuse('memorykit_scope_closed', 'the scope is closed');
    END IF;
    RETURN NULL;
END
$$;
