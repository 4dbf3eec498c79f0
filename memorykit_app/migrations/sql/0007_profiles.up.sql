-- Where one profile was used so far, it is the one that serves.
UPDATE memorykit_profile SET state = 'serving' WHERE (SELECT count(*) FROM memorykit_profile) = 1;

-- A profile keeps its name and dimension, goes along these arrows only, and serves only when it has a
-- vector for every active text that any other profile can find: a switch loses nothing.
CREATE FUNCTION memorykit_profile_change() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    outer_scope text := coalesce(current_setting('memorykit.scope', true), '');
    one record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.name, NEW.dimension, NEW.created_at)
            IS DISTINCT FROM (OLD.name, OLD.dimension, OLD.created_at)
        THEN
            PERFORM memorykit_refuse('memorykit_profile_fixed', 'a profile keeps its name and dimension');
        END IF;
        IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
            ('building', 'standby'), ('standby', 'building'), ('standby', 'serving'),
            ('serving', 'standby'), ('building', 'dropping'), ('standby', 'dropping')
        ) THEN
            PERFORM memorykit_refuse('memorykit_profile_arrow', 'a profile does not go from that state to this one');
        END IF;
        IF NEW.state = OLD.state THEN
            RETURN NEW;
        END IF;
    END IF;
    IF NEW.state <> 'serving' THEN
        RETURN NEW;
    END IF;
    FOR one IN SELECT id FROM memorykit_scope WHERE closed_at IS NULL LOOP
        PERFORM set_config('memorykit.scope', one.id::text, true);
        IF EXISTS (
            SELECT 1
              FROM memorykit_memory AS memory
              JOIN memorykit_embedding AS other
                ON other.scope_id = memory.scope_id AND other.memory_id = memory.id
               AND other.content_hash = memory.content_hash AND other.profile_id <> NEW.name
             WHERE memory.scope_id = one.id AND memory.state = 'active'
               AND NOT EXISTS (
                   SELECT 1 FROM memorykit_embedding AS own
                    WHERE own.scope_id = memory.scope_id AND own.memory_id = memory.id
                      AND own.content_hash = memory.content_hash AND own.profile_id = NEW.name
               )
        ) THEN
            PERFORM memorykit_refuse('memorykit_profile_incomplete', 'the profile lacks vectors that another one has');
        END IF;
    END LOOP;
    PERFORM set_config('memorykit.scope', outer_scope, true);
    RETURN NEW;
END
$$;
CREATE TRIGGER memorykit_profile_change BEFORE INSERT OR UPDATE ON memorykit_profile
    FOR EACH ROW EXECUTE FUNCTION memorykit_profile_change();

-- Once a profile serves, one does at every commit.
CREATE FUNCTION memorykit_profile_settled() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'serving' AND NOT EXISTS (SELECT 1 FROM memorykit_profile WHERE state = 'serving') THEN
        PERFORM memorykit_refuse('memorykit_profile_settled', 'no profile would serve');
    END IF;
    RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER memorykit_profile_settled AFTER UPDATE ON memorykit_profile
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION memorykit_profile_settled();

CREATE FUNCTION memorykit_profile_delete() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'dropping' THEN
        PERFORM memorykit_refuse('memorykit_profile_delete', 'a profile is dropped before its row goes');
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER memorykit_profile_delete BEFORE DELETE ON memorykit_profile
    FOR EACH ROW EXECUTE FUNCTION memorykit_profile_delete();

-- Nothing is added to a profile that is being dropped; the share lock makes a racing drop wait or be seen.
CREATE FUNCTION memorykit_profile_open() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    profile record;
BEGIN
    FOR profile IN
        SELECT state FROM memorykit_profile
         WHERE name IN (SELECT added.profile_id FROM added)
           FOR SHARE
    LOOP
        IF profile.state = 'dropping' THEN
            PERFORM memorykit_refuse('memorykit_profile_open', 'the profile is being dropped');
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER memorykit_embedding_profile_insert AFTER INSERT ON memorykit_embedding
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_profile_open();
CREATE TRIGGER memorykit_embedding_profile_update AFTER UPDATE ON memorykit_embedding
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memorykit_profile_open();
