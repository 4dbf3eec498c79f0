"""Recall receipts: what is kept of an answer, for whom, for how long, and what it can prove."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from uuid6 import uuid7

from memorykit_app.backends.base import Observer
from memorykit_app.backends.doubles import HashingEmbedder
from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import AccessDenied, BackendError, InvalidMemory, MemoryNotFound
from memorykit_app.models import Entry, RecallReceipt, sealed
from memorykit_app.recall.query import RecallQuery
from memorykit_app.services import (
    correction,
    drain,
    erasure,
    erasure_batch,
    memories,
    receipts,
    replay,
    sweep,
    verification,
)
from memorykit_app.services.erasure_selection import Selection
from memorykit_app.services.replay import Reason
from tests.integration.test_recall_degraded import new_words
from tests.recalling import READER, ask, ids, known, policy
from tests.records import NOW, OPERATOR, OTHER, SCOPE, active, asked, at, erasure_of

pytestmark = pytest.mark.django_db
QUESTION = "Where is the office in Lisbon?"
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def patient():
    with policy():
        yield


def serve(text: str = QUESTION, *, by=READER, now=NOW, always_on=False, entry=Entry.API, **wishes):
    """Ask and keep the receipt; return the answer and the receipt's id."""
    run_id = wishes.pop("run_id", "")
    result = ask(text, by=by, now=now, always_on=always_on, **wishes)
    receipt_id = receipts.store(
        result,
        RecallQuery(text=text, **wishes),
        scope=SCOPE,
        by=by,
        now=now,
        entry=entry,
        run_id=run_id,
        always_on=always_on,
    )
    return result, receipt_id


def again(receipt_id, text: str = QUESTION, keys=()):
    return replay.replay(receipt_id, text, keys, scope=SCOPE, by=OPERATOR)


def rows(scope=SCOPE) -> list[RecallReceipt]:
    with sealed(scope):
        return list(RecallReceipt.objects.in_scope(scope).order_by("created_at"))


def setting(**changes):
    return override_settings(MEMORYKIT=settings.MEMORYKIT | {"RECEIPTS": changes})


def test_a_receipt_holds_what_was_served_and_no_word_of_it():
    known("The office is in Lisbon.", "Lunch is at noon in the office.", key="private.key")
    host = Principal(actor="host:mk1abc", user_id=1, capabilities=frozenset({Capability.READ}))

    result, receipt_id = serve(
        by=host, keys=("private.key",), kinds=("fact",), items=1, run_id="run/7"
    )

    (row,) = rows()
    assert (row.pk, row.actor, row.host_key, row.run_id) == (
        receipt_id,
        "host:mk1abc",
        "mk1abc",
        "run/7",
    )
    assert row.items == [
        {
            "id": str(item.memory_id),
            "version": item.version,
            "score": item.score,
            "ranks": dict(item.ranks),
        }
        for item in result.items
    ]
    assert row.asked == {"kinds": ["fact"], "items": 1}
    assert (row.policy, row.profile) == ("test-1", settings.MEMORYKIT["SERVING_PROFILE"])
    assert row.kept_until == NOW + timedelta(days=30)
    written = json.dumps({f.attname: str(getattr(row, f.attname)) for f in row._meta.fields})
    for word in ("Lisbon", "office", "private", "noon"):
        assert word.lower() not in written.lower()


def test_what_did_not_fit_and_what_failed_is_kept():
    (record,) = known("The office is in Lisbon.")

    serve(tokens=1, known_at=at(5))

    (row,) = rows()
    assert row.dropped == [{"id": str(record.pk), "reason": "tokens"}]
    assert row.degraded == ["vector"]
    assert row.asked == {"tokens": 1, "known_at": at(5).isoformat()}


def test_the_same_question_has_another_digest_elsewhere_and_under_another_key():
    active()
    active(scope=OTHER)

    def kept(scope):
        query = RecallQuery(text=QUESTION)
        receipts.store(
            ask(QUESTION, scope=scope), query, scope=scope, by=READER, now=NOW, entry=Entry.API
        )
        return rows(scope)[-1].query_digest

    assert kept(SCOPE) == kept(SCOPE)
    first = kept(SCOPE)
    assert first != kept(OTHER)
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"FINGERPRINT_KEY": "k" * 40}):
        assert kept(SCOPE) != first


def test_none_is_kept_when_the_setting_says_so():
    active()

    with setting(STORE=False):
        assert serve()[1] is None
    with setting(DAYS=2):
        serve()

    assert [row.kept_until for row in rows()] == [NOW + timedelta(days=2)]


def test_a_scope_without_records_keeps_none():
    assert serve()[1] is None


def test_a_run_is_an_id_and_never_words():
    assert receipts.run_id("run:01HX/3") == "run:01HX/3"
    for wrong in ("we moved to Lisbon", "-", "x" * 129, "a\n", 7):
        with pytest.raises(InvalidMemory, match="run_id"):
            receipts.run_id(wrong)


class Listening(Observer):
    heard: list[tuple[str, dict]] = []

    def notify(self, event, fields):
        self.heard.append((event, dict(fields)))


def test_a_receipt_that_cannot_be_written_is_an_event_and_the_answer_stands():
    active()
    result = ask(QUESTION)
    Listening.heard.clear()
    observer = {"OBSERVER": {"BACKEND": f"{__name__}.Listening"}}
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memorykit_recall_receipt RENAME TO away")

    with override_settings(MEMORYKIT=settings.MEMORYKIT | observer):
        kept = receipts.store(
            result,
            RecallQuery(text=QUESTION),
            scope=SCOPE,
            by=READER,
            now=NOW,
            entry=Entry.API,
        )

    assert kept is None
    assert Listening.heard == [("memory.receipt_failed", {"error": "ProgrammingError"})]
    # The transaction around it goes on.
    assert ids(ask(QUESTION)) == ids(result)


def test_a_receipt_takes_no_longer_than_its_limit_and_gives_the_limit_back(monkeypatch):
    active()
    result = ask(QUESTION)
    monkeypatch.setattr(receipts, "_STATEMENT_MS", 50)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '55s'")
        cursor.execute(
            "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(30); RETURN NEW; END $$"
        )
        cursor.execute(
            "CREATE TRIGGER dawdle BEFORE INSERT ON memorykit_recall_receipt"
            " FOR EACH ROW EXECUTE FUNCTION dawdle()"
        )

    kept = receipts.store(
        result, RecallQuery(text=QUESTION), scope=SCOPE, by=READER, now=NOW, entry=Entry.API
    )

    assert kept is None
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone()[0] == "55s"


def test_row_level_security_shows_no_receipt_without_its_scope():
    active()
    serve()

    def seen(scope_id: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('memorykit.scope', %s, true)", [scope_id])
            cursor.execute("SELECT count(*) FROM memorykit_recall_receipt")
            return cursor.fetchone()[0]

    assert (seen(""), seen(str(OTHER.id)), seen(str(SCOPE.id))) == (0, 0, 1)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE memorykit_recall_receipt NO FORCE ROW LEVEL SECURITY")
    assert seen("") == 1


def test_who_was_served_a_record_is_told_newest_first():
    first, second = known("The office is in Lisbon.", "The cat is called Miau.")
    serve(run_id="run-1")
    serve("Where does Miau sleep?", now=at(1))
    serve(now=at(2), entry=Entry.COMMAND)

    found = receipts.served(first.pk, scope=SCOPE, by=OPERATOR)

    places = {row.pk: [item["id"] for item in row.items] for row in rows()}
    named = [row.pk for row in reversed(rows()) if str(first.pk) in places[row.pk]]
    assert [served.receipt_id for served in found] == named
    assert (found[-1].run_id, found[-1].version, found[-1].place) == ("run-1", 1, 1)
    assert len(receipts.served(first.pk, scope=SCOPE, by=OPERATOR, limit=1)) == 1
    assert receipts.served(uuid4(), scope=SCOPE, by=OPERATOR) == ()
    assert receipts.served(second.pk, scope=OTHER, by=OPERATOR) == ()


def test_receipts_are_for_those_who_may_review():
    (record,) = known("The office is in Lisbon.")
    _, receipt_id = serve()
    reader = Principal(actor="host:abc", user_id=1, capabilities=frozenset({Capability.READ}))

    with pytest.raises(AccessDenied):
        receipts.served(record.pk, scope=SCOPE, by=reader)
    with pytest.raises(AccessDenied):
        replay.replay(receipt_id, QUESTION, scope=SCOPE, by=reader)


def test_receipts_go_when_their_days_are_over_and_not_before():
    active(now=LONG_AGO)
    serve(now=LONG_AGO)
    serve(now=NOW)

    early = sweep.sweep(now=LONG_AGO + timedelta(days=29))
    done = sweep.sweep(now=LONG_AGO + timedelta(days=30))
    # Whatever the clock of this process says, the database's own decides.
    fast = sweep.sweep(now=NOW + timedelta(days=300))

    assert (early.receipts, done.receipts, fast.receipts) == (0, 1, 0)
    assert [row.created_at for row in rows()] == [NOW]


def test_an_erase_keeps_receipts_and_no_erased_word_is_in_them():
    (record,) = known("The office is in Lisbon.")
    serve()
    erased = erasure_of(record)

    report = verification.verify(erased.pk, ["The office is in Lisbon.", QUESTION])

    assert report.clean
    assert "memorykit_recall_receipt" in {table for table, *_ in verification._columns()}
    assert [s.version for s in receipts.served(record.pk, scope=SCOPE, by=OPERATOR)] == [1]


def test_receipts_of_an_erased_scope_stay_for_their_days():
    (record,) = known("The office is in Lisbon.", now=LONG_AGO)
    serve(now=LONG_AGO)
    order = erasure_batch.Order(scope=SCOPE, by=OPERATOR, now=NOW)
    erasure_batch.run(Selection(everything=True), order)

    assert len(receipts.served(record.pk, scope=SCOPE, by=OPERATOR)) == 1
    assert serve(now=at(1))[1] is None
    assert sweep.sweep(now=NOW).receipts == 1
    assert rows() == []


# Replay


def test_a_receipt_replays_to_the_same_records_in_the_same_order():
    known("The office is in Lisbon.", "Lunch in the office is at noon.", "The cat is called Miau.")
    result, receipt_id = serve(keys=("note.2",), items=2)

    found = again(receipt_id, keys=("note.2",))

    assert len(result.items) == 2
    assert (found.same, found.same_order, found.changed_since) == (True, True, False)
    assert found.reasons == ()
    assert len(rows()) == 1


def test_a_pinned_record_that_was_always_on_comes_back():
    weak, _ = known("Answer in British English.", "The office is in Lisbon.")
    memories.pin(weak.pk, asked(1, seconds=0))
    result, receipt_id = serve(always_on=True)

    assert ids(result)[0] == weak.pk
    assert again(receipt_id).same_order


@pytest.mark.parametrize(("text", "keys"), [("Where is it?", ()), (QUESTION, ("office.city",))])
def test_another_question_is_refused_without_being_shown(text, keys):
    active()
    _, receipt_id = serve()

    with pytest.raises(InvalidMemory, match="query: is not that of this receipt") as caught:
        again(receipt_id, text, keys)

    assert "Where" not in str(caught.value)


def test_after_a_change_it_replays_by_revisions():
    (record,) = known("The office is in Lisbon.")
    result, receipt_id = serve()
    correction.correct(record.pk, asked(1, seconds=10), new_words())

    found = again(receipt_id)

    assert ids(result) == [record.pk]
    assert (found.same, found.changed_since) == (True, True)


def test_what_only_a_vector_found_is_missing_after_a_change_and_that_is_said():
    known("The office is in Lisbon.", "Lunch is at noon.", "Miau is a cat.")
    with policy(FULL_TEXT_LIMIT=0, SAMPLE=128):
        result, receipt_id = serve()
    active("The new office is in Porto.", key="later", now=at(10))

    with policy(FULL_TEXT_LIMIT=0, SAMPLE=128):
        found = again(receipt_id)

    assert result.items
    assert (found.same, found.changed_since) == (False, True)
    assert {memory_id for memory_id, _ in found.missing} == set(ids(result))
    assert Reason.VECTOR_DEGRADED in found.reasons


def test_an_erased_record_does_not_come_back_and_that_is_said():
    (record,) = known("The office is in Lisbon.")
    _, receipt_id = serve()
    erasure.erase(record.pk, asked(1, seconds=10))

    found = again(receipt_id)

    assert (found.same, found.missing) == (False, ((record.pk, 1),))
    assert Reason.ERASED in found.reasons


def test_a_policy_that_is_gone_is_said_and_nothing_is_asked():
    active()
    _, receipt_id = serve()

    with policy(VERSION="test-2"):
        found = again(receipt_id)

    assert (found.same, found.reasons) == (None, (Reason.POLICY_UNKNOWN,))


def test_a_preset_replays_though_another_policy_is_set():
    known("The office is in Lisbon.")
    preset = {"RECALL_POLICY": {"PRESET": "matched-terms-v1"}}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | preset):
        _, receipt_id = serve()

    assert rows()[0].policy == "matched-terms-v1"
    assert again(receipt_id).same


def test_a_vector_made_since_is_a_reason():
    record = active("The office is in Lisbon.", now=LONG_AGO)
    with policy(FULL_TEXT_LIMIT=0):
        result, receipt_id = serve(now=LONG_AGO)
        drain.drain()
        found = again(receipt_id)

    assert result.items == ()
    assert (found.same, found.changed_since) == (False, False)
    assert (found.added, found.reasons) == (((record.pk, 1),), (Reason.EMBEDDED_SINCE,))


def test_a_channel_that_failed_then_is_a_reason(monkeypatch):
    def away(self, text):
        raise BackendError("embed", recoverable=True)

    known("The office is in Lisbon.", "Lunch is at noon.")
    with policy(FULL_TEXT_LIMIT=0), monkeypatch.context() as patched:
        patched.setattr(HashingEmbedder, "embed_query", away)
        # Words that no other test asks with: vectors of questions are kept.
        result, receipt_id = serve("Lisbon, was it?")
    with policy(FULL_TEXT_LIMIT=0):
        found = again(receipt_id, "Lisbon, was it?")

    assert (result.items, result.degraded) == ((), ("vector",))
    assert (found.same, found.reasons) == (False, (Reason.DEGRADED_THEN,))


def test_another_profile_is_a_reason():
    known("The office is in Lisbon.")
    embedders = settings.MEMORYKIT["EMBEDDERS"]
    second = {"EMBEDDERS": embedders | {"second": dict(*embedders.values())}}
    with policy(FULL_TEXT_LIMIT=0):
        result, receipt_id = serve()
    with (
        override_settings(MEMORYKIT=settings.MEMORYKIT | second),
        policy(FULL_TEXT_LIMIT=0, PROFILE="second"),
    ):
        found = again(receipt_id)

    assert len(result.items) == 1
    assert (found.same, found.reasons) == (False, (Reason.PROFILE_CHANGED,))


def test_a_difference_that_nothing_explains_is_called_so():
    known("The office is in Lisbon.")
    nothing = ask("office", kinds=("lesson",))
    receipt_id = receipts.store(
        nothing, RecallQuery(text=QUESTION), scope=SCOPE, by=READER, now=NOW, entry=Entry.API
    )

    found = again(receipt_id)

    assert (found.same, found.reasons) == (False, (Reason.UNEXPLAINED,))


def test_a_receipt_is_found_in_its_own_scope_only():
    active()
    _, receipt_id = serve()

    with pytest.raises(MemoryNotFound):
        replay.replay(receipt_id, QUESTION, scope=OTHER, by=OPERATOR)
    with pytest.raises(MemoryNotFound):
        again(uuid7())
