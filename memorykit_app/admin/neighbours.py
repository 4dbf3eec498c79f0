"""Neighbours: the active record under the same key, its rivals, and what says nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef

from memorykit_app.admin import markup, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.people import Names
from memorykit_app.domain import diff, terms
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import Memory, Revision, Term

_SAME_KEY = 10
_NEAR = 5
_LOOKED_AT = 20
_TERMS = 40
_ALIKE = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another record of the scope, and its last step where that matters.

    `alike` is a whole percentage, or None when not compared.
    """

    id: UUID
    kind: str
    key: str
    excerpt: str
    state: str
    state_word: str
    changed: datetime
    alike: int | None = None
    last: str = ""
    actor: str = ""

    @property
    def short(self) -> str:
        return short_id(self.id)


def holder_of(desk: Desk, memory: Memory) -> Memory | None:
    """Return the active record that activating this one would replace.

    `corrected` on it tells whether a person ever corrected it.
    """
    corrections = Revision.objects.in_granted(desk.granted).filter(
        memory_id=OuterRef("pk"), action=Verb.CORRECT.value, actor__startswith="person:"
    )
    return (
        Memory.objects.in_granted(desk.granted)
        .filter(
            scope_id=memory.scope_id,
            kind=memory.kind,
            key=memory.key,
            state=State.ACTIVE.value,
        )
        .exclude(pk=memory.pk)
        .annotate(corrected=Exists(corrections))
        .first()
    )


def token_of(holder: Memory | None) -> str:
    """Return what names the record that was shown as the one to be replaced."""
    return "" if holder is None else f"{holder.pk}:{holder.version}"


def same_key(desk: Desk, memory: Memory) -> list[tuple[Memory, Revision]]:
    """Return the other records of this kind and key with the last step of each.

    Candidates come first, then those that changed last.
    """
    rows = list(
        Memory.objects.in_granted(desk.granted)
        .filter(scope_id=memory.scope_id, kind=memory.kind, key=memory.key)
        .exclude(pk=memory.pk)
        .order_by("-updated_at", "id")[:_SAME_KEY]
    )
    rows.sort(key=lambda one: one.state != State.CANDIDATE)
    last = {
        step.memory_id: step
        for step in Revision.objects.in_granted(desk.granted)
        .filter(memory_id__in=[one.pk for one in rows])
        .order_by("memory_id", "-version")
        .distinct("memory_id")
    }
    return [(one, last[one.pk]) for one in rows]


def rivals(found: list[tuple[Memory, Revision]], names: Names) -> list[Neighbour]:
    """Return what `same_key` found, as a page shows it."""
    return [
        _neighbour(one, last=words.of(words.DONE, step.action), actor=names.of(step.actor))
        for one, step in found
    ]


def near(desk: Desk, memory: Memory) -> list[Neighbour]:
    """Return the active records that share most terms, the most alike text first."""
    wanted = terms.asked_terms(memory.content, limit=_TERMS)
    shared: Any = (
        Term.objects.in_granted(desk.granted)
        .filter(scope_id=memory.scope_id, term__in=wanted)
        .exclude(memory_id=memory.pk)
        .values("memory_id")
        .annotate(shared=Count("term"))
        .order_by("-shared", "memory_id")[:_LOOKED_AT]
    )
    ids = [entry["memory_id"] for entry in shared]
    if not ids:
        return []
    found = [
        (diff.similarity(memory.content, one.content), one)
        for one in Memory.objects.in_granted(desk.granted).filter(pk__in=ids)
        if (one.kind, one.key) != (memory.kind, memory.key)
    ]
    alike = sorted(
        ((score, one) for score, one in found if score >= _ALIKE),
        key=lambda pair: (-pair[0], pair[1].pk),
    )
    return [_neighbour(one, alike=round(score * 100)) for score, one in alike[:_NEAR]]


def _neighbour(
    memory: Memory, *, alike: int | None = None, last: str = "", actor: str = ""
) -> Neighbour:
    return Neighbour(
        id=memory.pk,
        kind=words.of(words.KINDS, memory.kind),
        key=markup.excerpt(memory.key, limit=80),
        excerpt=markup.excerpt(memory.content),
        state=memory.state,
        state_word=words.of(words.STATES, memory.state),
        changed=memory.updated_at,
        alike=alike,
        last=last,
        actor=actor,
    )
