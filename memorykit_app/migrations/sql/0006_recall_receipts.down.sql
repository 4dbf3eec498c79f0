DROP TRIGGER memorykit_recall_receipt_open ON memorykit_recall_receipt;
DROP TRIGGER memorykit_recall_receipt_no_delete ON memorykit_recall_receipt;
DROP TRIGGER memorykit_recall_receipt_no_change ON memorykit_recall_receipt;
ALTER TABLE memorykit_recall_receipt
    DROP CONSTRAINT memorykit_recall_receipt_days,
    DROP CONSTRAINT memorykit_recall_receipt_codes,
    DROP CONSTRAINT memorykit_recall_receipt_plain;
DROP FUNCTION memorykit_receipt_plain;
DROP POLICY memorykit_scope ON memorykit_recall_receipt;
