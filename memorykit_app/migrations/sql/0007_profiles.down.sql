DROP TRIGGER memorykit_embedding_profile_update ON memorykit_embedding;
DROP TRIGGER memorykit_embedding_profile_insert ON memorykit_embedding;
DROP FUNCTION memorykit_profile_open();
DROP TRIGGER memorykit_profile_delete ON memorykit_profile;
DROP FUNCTION memorykit_profile_delete();
DROP TRIGGER memorykit_profile_settled ON memorykit_profile;
DROP FUNCTION memorykit_profile_settled();
DROP TRIGGER memorykit_profile_change ON memorykit_profile;
DROP FUNCTION memorykit_profile_change();
