DROP TRIGGER memorykit_job_open ON memorykit_job;
DROP TRIGGER memorykit_idempotency_open ON memorykit_idempotency;
DROP TRIGGER memorykit_transcript_open ON memorykit_transcript;
DROP TRIGGER memorykit_memory_open ON memorykit_memory;
DROP FUNCTION memorykit_scope_open;

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
    RETURN NULL;
END
$$;
