DROP TRIGGER memorykit_seal_no_change ON memorykit_seal;
DROP POLICY memorykit_scope ON memorykit_seal;
