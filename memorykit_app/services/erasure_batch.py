"""Erase many: one source, one lineage or a whole scope, record by record, taken up again at will.

Each record is scrubbed in a transaction of its own, with a receipt of its own; what was erased
together gets one more receipt with the sums. One memory alone has its own, the first for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memorykit_app.domain import validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import MemoryHeld, MemoryNotFound, StaleVersion
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import (
    Embedding,
    ErasureReceipt,
    Feedback,
    Memory,
    Revision,
    ScopeRecord,
    Source,
    Term,
    Transcript,
    access,
    sealed,
)
from memorykit_app.services import erasure, jobs
from memorykit_app.services.erasure_selection import Selection, living
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

_WHOLE = "scope"
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Who asks for an erase of many, when, and why (a code). Raises InvalidMemory."""

    scope: Scope
    by: Principal
    now: datetime
    reason: str = ""

    def __post_init__(self) -> None:
        validation.moment("now", self.now)
        validation.reason(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an erase would take: ids in their order, those under a hold, rows per table."""

    memory_ids: tuple[UUID, ...]
    held: tuple[UUID, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What an erase took: how many records, rows per table, and what a hold kept.

    `receipt` holds the sums, or is that of the one memory; None when there was nothing to erase,
    or a hold kept a part of a whole scope.
    """

    memories: int
    counts: dict[str, int]
    held: tuple[UUID, ...]
    receipt: ErasureReceipt | None


@guarded
def plan(selection: Selection, order: Order) -> Plan:
    """Tell what `run` would take away; nothing is written.

    Raises MemoryNotFound or AccessDenied.
    """
    scope = order.scope
    with sealed(scope):
        access.authorize(order.by, Verb.ERASE.value, scope)
        if selection.everything:
            _known(ScopeRecord.objects.all(), scope)
        ids = living(selection, scope)
        counts: Counter[str] = Counter(memory=len(ids))
        pointed_to: set[UUID] = set()
        for start in range(0, len(ids), _CHUNK):
            part = ids[start : start + _CHUNK]
            for name, model in (
                ("source", Source),
                ("revision", Revision),
                ("term", Term),
                ("embedding", Embedding),
                ("feedback", Feedback),
            ):
                counts[name] += model.objects.in_scope(scope).filter(memory_id__in=part).count()
            pointed_to.update(erasure.transcript_ids(part, scope))
        own = _transcripts(selection, scope).values_list("pk", flat=True)
        counts["transcript"] = len(pointed_to.union(own))
        held = Memory.objects.in_scope(scope).filter(pk__in=ids, held=True)
        return Plan(
            memory_ids=tuple(ids),
            held=tuple(held.order_by("pk").values_list("pk", flat=True)),
            counts=dict(counts),
        )


def run(
    selection: Selection, order: Order, *, told: Callable[[int], None] = lambda done: None
) -> Erased:
    """Erase what is selected; `told` hears how many records are done so far.

    A whole scope is closed first and takes no write afterwards. Stopped at any point and asked
    again, it goes on with what is left; a repeated erase of a whole scope returns its receipt.
    Raises MemoryNotFound, AccessDenied, or MemoryHeld when a hold stands in a whole scope.
    """
    work = _Work(order, told)
    if selection.everything:
        work.counts["job"] += _close(order)
    work.counts["transcript"] += _drop_transcripts(selection, order)
    while left := [
        memory_id for memory_id in _living(selection, order) if memory_id not in work.held
    ]:
        for memory_id in left:
            work.erase(memory_id)
    return Erased(
        memories=work.counts["memory"],
        counts=dict(work.counts),
        held=tuple(work.held),
        receipt=_receipt(selection, work),
    )


@dataclass(slots=True)
class _Work:
    order: Order
    told: Callable[[int], None]
    counts: Counter[str] = field(default_factory=Counter)
    held: list[UUID] = field(default_factory=list)
    now: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.now = self.order.now

    def erase(self, memory_id: UUID) -> None:
        """Erase one record as it is now, or note that a hold keeps it."""
        order = self.order
        while True:
            with sealed(order.scope):
                record = Memory.objects.in_scope(order.scope).get(pk=memory_id)
            if record.state == State.ERASED:
                return
            # Others may change records while this runs; time never goes back in one.
            self.now = max(self.now, record.updated_at)
            asked = Command(
                scope=order.scope,
                by=order.by,
                now=self.now,
                expected_version=record.version,
                reason=order.reason,
            )
            try:
                receipt = erasure.erase(memory_id, asked)
            except StaleVersion:
                continue
            except MemoryHeld:
                self.held.append(memory_id)
                return
            self.counts.update(receipt.counts)
            self.told(self.counts["memory"])
            return


@guarded
def _living(selection: Selection, order: Order) -> list[UUID]:
    with sealed(order.scope):
        access.authorize(order.by, Verb.ERASE.value, order.scope)
        return living(selection, order.scope)


def _known(rows: QuerySet[ScopeRecord], scope: Scope) -> ScopeRecord:
    record = rows.filter(pk=scope.id).first()
    if record is None:
        raise MemoryNotFound("nothing was ever stored in this scope")
    return record


@guarded
def _close(order: Order) -> int:
    """Close the scope and end its work; return how many jobs that ended."""
    with sealed(order.scope):
        access.authorize(order.by, Verb.ERASE.value, order.scope)
        # Writers under way are waited for, so that what they write is seen below.
        record = _known(ScopeRecord.objects.select_for_update(no_key=True), order.scope)
        if Memory.objects.in_scope(order.scope).filter(held=True).exists():
            raise MemoryHeld("memories of this scope are under a hold: release them first")
        if record.closed_at is None:
            ScopeRecord.objects.filter(pk=record.pk).update(closed_at=order.now)
        return jobs.cancel_work(order.scope)


@guarded
def _drop_transcripts(selection: Selection, order: Order) -> int:
    """Delete what is still to be read, first: an extraction under way then stores nothing."""
    with sealed(order.scope):
        access.authorize(order.by, Verb.ERASE.value, order.scope)
        if selection.transcript_id is not None:
            jobs.cancel_work(order.scope, target_id=selection.transcript_id)
        return _transcripts(selection, order.scope).delete()[0]


def _transcripts(selection: Selection, scope: Scope) -> QuerySet[Transcript]:
    rows = Transcript.objects.in_scope(scope)
    if selection.everything:
        return rows
    return rows.filter(pk__in=[selection.transcript_id] if selection.transcript_id else [])


@guarded
def _receipt(selection: Selection, work: _Work) -> ErasureReceipt | None:
    order, counts = work.order, {name: n for name, n in work.counts.items() if n}
    with sealed(order.scope):
        if selection.everything:
            if work.held:
                return None
            first = ErasureReceipt.objects.in_scope(order.scope).filter(counts__has_key=_WHOLE)
            if known := first.first():
                return known
            counts[_WHOLE] = 1
        elif selection.memory_id is not None and not selection.lineage:
            rows = ErasureReceipt.objects.in_scope(order.scope)
            return rows.filter(memory_id=selection.memory_id).first()
        elif not counts:
            return None
        return erasure.write_receipt(
            None, counts, scope=order.scope, by=order.by, reason=order.reason, now=work.now
        )
