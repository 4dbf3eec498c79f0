"""Seals: chain what was committed, and find where a chain was broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass

from django.db import connection
from django.db.models import Exists, OuterRef

from memorykit_app.domain.scope import Scope
from memorykit_app.domain.seal import Entry, chained
from memorykit_app.models import Revision, Seal, sealed
from memorykit_app.services import scopes
from memorykit_app.services.faults import guarded

BATCH = 500
_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('memorykit_seal:' || %s, 0))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first seal of a scope that does not hold, and why (a code)."""

    number: int
    reason: str


@guarded
def extend(scope: Scope, *, batch: int = BATCH) -> int:
    """Seal up to `batch` committed revisions of a scope; return how many.

    None while another sealer is at the scope. What is unsealed is found by its absence from the
    chain and not by time or id: a revision that commits late is sealed late, and never skipped.
    """
    with sealed(scope):
        with connection.cursor() as cursor:
            cursor.execute(_LOCK, [str(scope.id)])
            if not cursor.fetchone()[0]:
                return 0
        chain = Seal.objects.in_scope(scope)
        last = chain.order_by("-number").first()
        number, previous = (last.number, last.hash) if last else (0, "")
        unsealed = Revision.objects.in_scope(scope).filter(~Exists(chain.filter(pk=OuterRef("pk"))))
        made = []
        for revision in unsealed.order_by("created_at", "id").defer("snapshot", "note")[:batch]:
            number, entry = number + 1, _entry(revision)
            previous = chained(previous, number, entry)
            made.append(
                Seal(
                    id=entry.revision_id,
                    scope_id=scope.id,
                    number=number,
                    memory_id=entry.memory_id,
                    version=entry.version,
                    action=entry.action,
                    actor=entry.actor,
                    reason=entry.reason,
                    created_at=entry.created_at,
                    hash=previous,
                )
            )
        Seal.objects.in_scope(scope).bulk_create(made)
        return len(made)


@guarded
def first_break(
    scope: Scope, *, batch: int = BATCH, told: Callable[[int], None] = lambda done: None
) -> Break | None:
    """Walk the chain of a scope; return where it breaks first, or None when it holds.

    `told` hears how many seals are done. Cut off at its end, a chain still holds: only a hash
    kept elsewhere shows that.
    """
    number, previous = 0, ""
    while True:
        with sealed(scope):
            rows = list(
                Seal.objects.in_scope(scope).filter(number__gt=number).order_by("number")[:batch]
            )
            ids = [row.pk for row in rows]
            known = Revision.objects.in_scope(scope).filter(pk__in=ids)
            entries = {row.pk: _entry(row) for row in known.defer("snapshot", "note")}
        for row in rows:
            number += 1
            entry = _sealed_entry(row)
            if row.number != number:
                return Break(number=number, reason="seal_removed")
            if row.hash != chained(previous, number, entry):
                return Break(number=number, reason="seal_edited")
            if row.pk not in entries:
                return Break(number=number, reason="revision_removed")
            if astuple(entries[row.pk]) != astuple(entry):
                return Break(number=number, reason="revision_edited")
            previous = row.hash
        told(number)
        if len(rows) < batch:
            return None


def broken() -> Iterator[tuple[Scope, Break]]:
    """Walk the chains of all scopes, closed ones too; yield those that do not hold."""
    for closed in (False, True):
        for record in scopes.every(closed=closed):
            if found := first_break(record.scope):
                yield record.scope, found


def _entry(revision: Revision) -> Entry:
    return Entry(
        revision_id=revision.pk,
        memory_id=revision.memory_id,
        version=revision.version,
        action=revision.action,
        actor=revision.actor,
        reason=revision.reason,
        created_at=revision.created_at,
    )


def _sealed_entry(seal: Seal) -> Entry:
    return Entry(
        revision_id=seal.pk,
        memory_id=seal.memory_id,
        version=seal.version,
        action=seal.action,
        actor=seal.actor,
        reason=seal.reason,
        created_at=seal.created_at,
    )
