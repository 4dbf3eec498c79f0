"""Misdeeds against recall receipts."""

from __future__ import annotations

from uuid import uuid4

from memorykit_app.models import Entry, RecallReceipt
from memorykit_app.recall.query import RecallQuery
from memorykit_app.services import receipts
from tests.integration.misdeeds import Act, copy, in_a_closed_scope, misdeed, raw
from tests.recalling import READER, ask
from tests.records import NOW, SCOPE, active


def receipt() -> RecallReceipt:
    active()
    receipt_id = receipts.store(
        ask("office"),
        RecallQuery(text="office"),
        scope=SCOPE,
        by=READER,
        now=NOW,
        entry=Entry.PYTHON,
    )
    assert receipt_id is not None
    return RecallReceipt.objects.in_scope(SCOPE).get(pk=receipt_id)


@misdeed("memorykit_recall_receipt_no_change")
def rewrite_a_recall_receipt() -> Act:
    return raw("UPDATE memorykit_recall_receipt SET actor = 'x' WHERE id = %s", receipt().pk)


@misdeed("memorykit_recall_receipt_no_delete")
def delete_a_recall_receipt_within_its_days() -> Act:
    return raw("DELETE FROM memorykit_recall_receipt WHERE id = %s", receipt().pk)


@misdeed("memorykit_recall_receipt_open", "memorykit_scope_closed")
def serve_from_a_closed_scope() -> Act:
    return in_a_closed_scope(lambda: copy(receipt()))


@misdeed("memorykit_recall_receipt_days")
def keep_a_recall_receipt_for_no_time() -> Act:
    return copy(receipt(), kept_until=NOW)


@misdeed("memorykit_recall_receipt_codes")
def tell_a_story_as_a_run() -> Act:
    return copy(receipt(), run_id="We moved to Lisbon")


@misdeed("memorykit_recall_receipt_codes")
def keep_the_question_for_its_digest() -> Act:
    return copy(receipt(), query_digest="where is the office")


@misdeed("memorykit_recall_receipt_codes")
def name_a_channel_that_is_none() -> Act:
    return copy(receipt(), degraded=["We moved"])


@misdeed("memorykit_recall_receipt_plain")
def keep_the_content_of_an_item() -> Act:
    row = receipt()
    return copy(row, items=[row.items[0] | {"content": "The office is in Lisbon."}])


@misdeed("memorykit_recall_receipt_plain")
def keep_words_for_an_id() -> Act:
    row = receipt()
    return copy(row, items=[row.items[0] | {"id": "The office is in Lisbon."}])


@misdeed("memorykit_recall_receipt_plain")
def keep_words_for_a_rank() -> Act:
    row = receipt()
    return copy(row, items=[row.items[0] | {"ranks": {"exact": "Lisbon"}}])


@misdeed("memorykit_recall_receipt_plain")
def keep_words_for_what_was_dropped() -> Act:
    return copy(receipt(), dropped=[{"id": str(uuid4()), "reason": "It said Lisbon."}])


@misdeed("memorykit_recall_receipt_plain")
def keep_the_asked_keys() -> Act:
    return copy(receipt(), asked={"keys": ["office.city"]})


@misdeed("memorykit_recall_receipt_plain")
def keep_words_for_a_time() -> Act:
    return copy(receipt(), asked={"as_of": "when we moved"})
