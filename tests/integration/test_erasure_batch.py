"""Erase of many: a source, a lineage, a whole scope; stopped, taken up again, and raced."""

from __future__ import annotations

import json
import threading
from uuid import uuid4

import pytest
from django.db import connection

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import (
    AccessDenied,
    InvalidMemory,
    MemoryHeld,
    MemorykitError,
    MemoryNotFound,
    ScopeClosed,
)
from memorykit_app.models import ErasureReceipt, Job, Memory, ScopeRecord, Transcript, sealed
from memorykit_app.services import (
    correction,
    erasure,
    erasure_batch,
    memories,
    transcripts,
    verification,
)
from memorykit_app.services.correction import Correction
from memorykit_app.services.erasure_batch import Order
from memorykit_app.services.erasure_selection import Selection
from tests.records import NOW, OPERATOR, OTHER, SCOPE, active, asked, at, fresh, memory

pytestmark = pytest.mark.django_db
WHOLE = Selection(everything=True)
TURNS = json.dumps([{"role": "user", "content": "We moved to Lisbon."}]).encode()


def order(seconds: float = 10, *, by: Principal = OPERATOR, reason: str = "") -> Order:
    return Order(scope=SCOPE, by=by, now=at(seconds), reason=reason)


def note(ref: str) -> tuple[SourceRef, ...]:
    return (SourceRef(kind="note", ref=ref),)


def from_memory(parent: Memory, *, marked: bool = True) -> tuple[SourceRef, ...]:
    return (SourceRef(kind="memory", ref=f"memory:{parent.pk}" if marked else str(parent.pk)),)


def states(*records: Memory) -> list[str]:
    return [fresh(record).state for record in records]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"source_ref": "a", "everything": True},
        {"memory_id": uuid4(), "source_ref": "a"},
        {"source_ref": "nul\0"},
        {"source_ref": "x" * 513},
    ],
)
def test_a_selection_names_one_thing(parts):
    with pytest.raises(InvalidMemory):
        Selection(**parts)


def test_all_records_of_a_source_go_and_no_other():
    first = active("One.", key="a", sources=note("mail:1"))
    second = memory("Two.", key="b", sources=note("mail:1"))
    other = active("Three.", key="c", sources=note("mail:2"))
    foreign = active("One.", key="a", sources=note("mail:1"), scope=OTHER)

    done = erasure_batch.run(Selection(source_ref="mail:1"), order())

    assert states(first, second, other) == ["erased", "erased", "active"]
    assert fresh(foreign, OTHER).state == "active"
    assert (done.memories, done.held) == (2, ())
    assert done.receipt.counts["memory"] == 2
    assert erasure.receipt_hash(done.receipt) == done.receipt.hash
    assert verification.verify(done.receipt.pk, ["mail:1"]).intact


def test_a_record_that_named_the_source_once_goes_too():
    record = active("One.", key="a", sources=note("mail:1"))
    words = Correction(content="Other.", valid_from=NOW, sources=note("mail:2"))
    correction.correct(record.pk, asked(1), words)

    done = erasure_batch.run(Selection(source_ref="mail:1"), order())

    assert (done.memories, states(record)) == (1, ["erased"])


@pytest.mark.parametrize("named", [transcripts.ref_of, str])
def test_a_transcript_goes_with_what_was_made_from_it(named):
    submitted = transcripts.submit(TURNS, scope=SCOPE, by=OPERATOR, now=NOW)
    place = SourceRef(kind="transcript", ref=transcripts.ref_of(submitted.job_id))
    record = memory("One.", sources=(place,))

    selection = Selection(source_ref=named(submitted.job_id))
    planned = erasure_batch.plan(selection, order())
    done = erasure_batch.run(selection, order())

    assert states(record) == ["erased"]
    assert (planned.counts["transcript"], done.counts["transcript"]) == (1, 1)
    assert Job.objects.get(pk=submitted.job_id).state == "cancelled"
    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()


def test_a_transcript_without_records_leaves_a_receipt():
    submitted = transcripts.submit(TURNS, scope=SCOPE, by=OPERATOR, now=NOW)

    done = erasure_batch.run(Selection(source_ref=transcripts.ref_of(submitted.job_id)), order())

    assert (done.memories, done.receipt.counts) == (0, {"transcript": 1})


def test_an_unknown_source_leaves_nothing_behind():
    active()

    done = erasure_batch.run(Selection(source_ref="nowhere"), order())

    assert (done.memories, done.receipt) == (0, None)
    with sealed(SCOPE):
        assert not ErasureReceipt.objects.in_scope(SCOPE).exists()


def test_a_plan_counts_what_the_receipt_counts_and_writes_nothing(monkeypatch):
    monkeypatch.setattr(erasure_batch, "_CHUNK", 2)
    records = [active(f"Number {n}.", key=f"k{n}", sources=note("mail:1")) for n in range(5)]
    selection = Selection(source_ref="mail:1")

    planned = erasure_batch.plan(selection, order())
    assert states(*records) == ["active"] * 5
    done = erasure_batch.run(selection, order())

    assert set(planned.memory_ids) == {record.pk for record in records}
    assert {name: done.counts[name] for name in planned.counts} == planned.counts


def test_lineage_takes_what_was_derived_and_what_was_superseded():
    oldest = active("One.", key="a", now=at(0))
    older = active("Two.", key="a", now=at(1))
    root = active("Three.", key="a", now=at(2))
    child = active("Summary.", key="b", sources=from_memory(root))
    grandchild = memory("Summary of it.", key="c", sources=from_memory(child, marked=False))
    forgotten = active("Elsewhere.", key="d")
    selection = Selection(memory_id=root.pk, lineage=True)

    planned = erasure_batch.plan(selection, order())
    done = erasure_batch.run(selection, order())

    assert planned.memory_ids[-1] == root.pk
    assert set(states(oldest, older, root, child, grandchild)) == {"erased"}
    assert (states(forgotten), done.memories) == (["active"], 5)


def test_without_lineage_the_record_goes_alone():
    root = active("Three.", key="a")
    child = active("Summary.", key="b", sources=from_memory(root))

    erasure_batch.run(Selection(memory_id=root.pk), order())

    assert states(root, child) == ["erased", "active"]


def test_lineage_leaves_a_version_that_came_back():
    older = active("Two.", key="a", now=at(1))
    root = active("Three.", key="a", now=at(2))
    memories.forget(root.pk, asked(1, seconds=3))
    memories.restore(older.pk, asked(2, seconds=4))

    erasure_batch.run(Selection(memory_id=root.pk, lineage=True), order())

    assert states(older, root) == ["active", "erased"]


def test_the_lineage_of_an_erased_record_is_still_found():
    older = active("Two.", key="a", now=at(1))
    root = active("Three.", key="a", now=at(2))
    child = active("Summary.", key="b", sources=from_memory(root))
    erasure.erase(root.pk, asked(1, seconds=3))

    erasure_batch.run(Selection(memory_id=root.pk, lineage=True), order())

    assert states(older, child) == ["erased", "erased"]


def test_an_unknown_record_is_told():
    active()

    with pytest.raises(MemoryNotFound):
        erasure_batch.run(Selection(memory_id=uuid4()), order())


def test_what_is_held_stays_and_is_named():
    record = active("One.", key="a", sources=note("mail:1"))
    kept = active("Two.", key="b", sources=note("mail:1"))
    memories.hold(kept.pk, asked(1))
    selection = Selection(source_ref="mail:1")

    planned = erasure_batch.plan(selection, order())
    done = erasure_batch.run(selection, order())

    assert planned.held == done.held == (kept.pk,)
    assert states(record, kept) == ["erased", "active"]


def test_a_record_changed_after_the_order_is_erased_all_the_same():
    record = active("One.", key="a")
    memories.pin(record.pk, asked(1, seconds=60))

    done = erasure_batch.run(Selection(memory_id=record.pk), order(seconds=10))

    assert done.receipt.created_at == at(60)
    assert states(record) == ["erased"]


@pytest.mark.parametrize("change", [memories.pin, memories.hold])
def test_a_change_between_look_and_erase_is_seen(monkeypatch, change):
    record = active("One.", key="a")
    real = erasure.erase
    waiting = [change]

    def slow(memory_id, command):
        while waiting:
            waiting.pop()(memory_id, asked(1))
        return real(memory_id, command)

    monkeypatch.setattr(erasure_batch.erasure, "erase", slow)

    done = erasure_batch.run(Selection(memory_id=record.pk), order())

    held = change is memories.hold
    assert states(record) == ["active" if held else "erased"]
    assert done.held == ((record.pk,) if held else ())


def test_a_record_that_somebody_else_erased_is_not_counted(monkeypatch):
    first, second = active("One.", key="a"), active("Two.", key="b")
    real = erasure_batch.living
    monkeypatch.setattr(
        erasure_batch,
        "living",
        lambda selection, scope: (
            [first.pk, second.pk] if fresh(first).state == "active" else real(selection, scope)
        ),
    )

    def told(done):
        if done == 1:
            erasure.erase(second.pk, asked(1, seconds=20))

    done = erasure_batch.run(WHOLE, order(), told=told)

    assert done.memories == 1


def test_a_whole_scope_is_closed_and_emptied():
    submitted = transcripts.submit(TURNS, scope=SCOPE, by=OPERATOR, now=NOW)
    records = [active("One.", key="a"), memory("Two.", key="b")]
    foreign = active("One.", key="a", scope=OTHER)
    seen: list[int] = []

    done = erasure_batch.run(WHOLE, order(reason="request"), told=seen.append)

    assert states(*records) == ["erased", "erased"]
    assert fresh(foreign, OTHER).state == "active"
    assert seen == [1, 2]
    assert done.receipt.reason == "request"
    assert (done.receipt.counts["scope"], done.counts["transcript"]) == (1, 1)
    assert ScopeRecord.objects.get(pk=SCOPE.id).closed_at == at(10)
    assert Job.objects.get(pk=submitted.job_id).state == "cancelled"
    assert verification.verify(done.receipt.pk, ["One.", "Lisbon"]).intact


@pytest.mark.parametrize(
    "write",
    [
        lambda record: active("New.", key="new"),
        lambda record: transcripts.submit(TURNS, scope=SCOPE, by=OPERATOR, now=NOW),
        lambda record: memories.forget(record.pk, asked(1)),
        lambda record: memories.hold(record.pk, asked(1)),
        lambda record: correction.correct(
            record.pk, asked(1), Correction(content="Other.", valid_from=NOW)
        ),
    ],
)
def test_a_closed_scope_refuses_every_write(write):
    record = active("One.", key="a")
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)

    with pytest.raises(ScopeClosed):
        write(record)

    assert fresh(record).version == 1


def test_a_repeated_erase_of_a_scope_returns_its_receipt():
    active("One.", key="a")

    first = erasure_batch.run(WHOLE, order())
    again = erasure_batch.run(WHOLE, order(seconds=20))

    assert again.memories == 0
    assert again.receipt.pk == first.receipt.pk


def test_a_hold_keeps_a_scope_open_until_it_is_released():
    record = active("One.", key="a")
    memories.hold(record.pk, asked(1))

    with pytest.raises(MemoryHeld):
        erasure_batch.run(WHOLE, order())

    assert ScopeRecord.objects.get(pk=SCOPE.id).closed_at is None
    memories.release(record.pk, asked(2))
    assert erasure_batch.run(WHOLE, order()).memories == 1


def test_a_hold_that_slipped_in_before_the_close_can_still_be_released(monkeypatch):
    record = active("One.", key="a")
    memories.hold(record.pk, asked(1))
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)
    monkeypatch.setattr(erasure_batch, "_close", lambda order: 0)

    kept = erasure_batch.run(WHOLE, order())
    memories.release(record.pk, asked(2))
    done = erasure_batch.run(WHOLE, order())

    assert (kept.receipt, kept.held) == (None, (record.pk,))
    assert done.receipt.counts["scope"] == 1


def test_an_erase_that_was_stopped_goes_on_where_it_was():
    records = [active(f"Number {n}.", key=f"k{n}") for n in range(5)]

    def stop(done):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        erasure_batch.run(WHOLE, order(), told=stop)
    assert sorted(states(*records)) == ["active"] * 3 + ["erased"] * 2
    done = erasure_batch.run(WHOLE, order(seconds=20))

    assert (done.memories, set(states(*records))) == (3, {"erased"})


@pytest.mark.parametrize("act", [erasure_batch.plan, erasure_batch.run])
def test_a_scope_that_never_was_is_told(act):
    with pytest.raises(MemoryNotFound, match="nothing was ever stored"):
        act(WHOLE, order())


@pytest.mark.parametrize("act", [erasure_batch.plan, erasure_batch.run])
@pytest.mark.parametrize("selection", [WHOLE, Selection(source_ref="note:1")])
def test_erase_needs_its_right(act, selection):
    active()
    reader = Principal(actor="host:abc", capabilities=frozenset({Capability.READ}))

    with pytest.raises(AccessDenied):
        act(selection, order(by=reader))

    assert ScopeRecord.objects.get(pk=SCOPE.id).closed_at is None


@pytest.mark.django_db(transaction=True)
def test_writers_that_race_the_close_leave_nothing_behind():
    active("First.", key="first")
    start = threading.Barrier(9)
    surprises: list[BaseException] = []

    def write(number):
        start.wait()
        try:
            for turn in range(20):
                words = f"Writer {number} turn {turn}."
                record = active(words, key=f"k{number}.{turn}", now=at(turn))
                transcripts.submit(
                    json.dumps([{"role": "user", "content": words}]).encode(),
                    scope=SCOPE,
                    by=OPERATOR,
                    now=NOW,
                )
                memories.pin(record.pk, asked(1, seconds=turn + 1))
        except ScopeClosed:
            pass
        except MemorykitError as error:
            surprises.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    start.wait()
    done = erasure_batch.run(WHOLE, order())
    for thread in threads:
        thread.join()

    # A writer may find its record erased under it; that is the erase's word, not a fault.
    assert {type(error).__name__ for error in surprises} <= {"TransitionRefused", "StaleVersion"}
    assert done.receipt.counts["scope"] == 1
    with sealed(SCOPE):
        assert set(Memory.objects.in_scope(SCOPE).values_list("state", flat=True)) == {"erased"}
        assert not Transcript.objects.in_scope(SCOPE).exists()
    assert not Job.objects.filter(scope_id=SCOPE.id, state="pending").exists()
