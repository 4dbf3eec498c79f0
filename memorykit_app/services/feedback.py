"""Feedback: one verdict per actor and record, and for reviewers how many there are of each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q
from uuid6 import uuid7

from memorykit_app.domain import validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import Feedback, Memory, Verdict, access, sealed
from memorykit_app.services.faults import guarded


@guarded
def give(
    memory_id: UUID,
    verdict: Verdict,
    *,
    scope: Scope,
    by: Principal,
    now: datetime,
    actor: str = "",
) -> Verdict:
    """Keep what an actor says a record was worth; a later verdict replaces the earlier one.

    `actor` names the model that `by` speaks for. Raises MemoryNotFound unless the record is
    active and effective at `now`, or AccessDenied without the right to propose.
    """
    validation.identity(memory_id)
    validation.moment("now", now)
    with sealed(scope):
        access.authorize(by, access.PROPOSE, scope)
        seen = Memory.objects.in_scope(scope).filter(
            Q(valid_until__isnull=True) | Q(valid_until__gt=now),
            pk=memory_id,
            state=State.ACTIVE.value,
            valid_from__lte=now,
        )
        if not seen.exists():
            raise MemoryNotFound
        row = Feedback(
            id=uuid7(),
            scope_id=scope.id,
            memory_id=memory_id,
            actor=actor or by.actor,
            verdict=verdict.value,
            created_at=now,
            updated_at=now,
        )
        Feedback.objects.in_scope(scope).bulk_create(
            [row],
            update_conflicts=True,
            unique_fields=["scope", "memory", "actor"],
            update_fields=["verdict", "updated_at"],
        )
        return verdict


@guarded
def counts(
    memory_ids: Sequence[UUID], *, scope: Scope, by: Principal
) -> dict[UUID, dict[Verdict, int]]:
    """Return how many actors gave which verdict on each of these records that is there.

    Raises AccessDenied without the right to review.
    """
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        there = Memory.objects.in_scope(scope).filter(pk__in=memory_ids)
        found = {
            memory_id: dict.fromkeys(Verdict, 0) for memory_id in there.values_list("pk", flat=True)
        }
        rows = Feedback.objects.in_scope(scope).filter(memory_id__in=found)
        for memory_id, verdict, count in (
            rows.values_list("memory_id", "verdict").annotate(count=Count("pk")).order_by()
        ):
            found[memory_id][Verdict(verdict)] = count
    return found
