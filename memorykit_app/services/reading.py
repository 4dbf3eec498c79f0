"""Reading records for people and hosts: lists, one record, its sources and history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from memorykit_app import conf
from memorykit_app.domain import validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import AccessDenied, InvalidMemory, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import Memory, Revision, Source, access, sealed
from memorykit_app.services.faults import guarded

_SOURCE = {field.name: field.name for field in fields(SourceRef)}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a list: the record after which the next page starts."""

    updated_at: datetime
    memory_id: UUID


@guarded
def list_memories(
    *,
    scope: Scope,
    by: Principal,
    now: datetime,
    state: State = State.ACTIVE,
    kind: Kind | None = None,
    key: str | None = None,
    after: Place | None = None,
    limit: int,
) -> list[Memory]:
    """Return records, newest change first, ties by id; `after` is exclusive.

    States other than active need the review right; without it, active records that are not
    effective at `now` are left out.
    """
    limits = conf.settings().limits
    _bounded(limit)
    if key is not None:
        key = validation.text("key", key, limit=limits.key_chars, blank=False)
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        rows = Memory.objects.in_scope(scope).filter(state=state.value)
        if state is not State.ACTIVE:
            access.authorize(by, access.REVIEW, scope)
        elif not _may_review(by, scope):
            rows = _effective(rows, now)
        if kind is not None:
            rows = rows.filter(kind=kind.value)
        if key is not None:
            rows = rows.filter(key=key)
        if after is not None:
            rows = rows.filter(
                Q(updated_at__lt=after.updated_at)
                | Q(updated_at=after.updated_at, id__gt=after.memory_id)
            )
        return list(rows.order_by("-updated_at", "id")[:limit])


@guarded
def read(
    memory_id: UUID, *, scope: Scope, by: Principal, now: datetime
) -> tuple[Memory, tuple[SourceRef, ...]]:
    """Return one record and its sources by kind and ref.

    Raises MemoryNotFound, also when the record is not active and effective at `now` and the
    caller may not review: to them it is not there.
    """
    validation.identity(memory_id)
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        rows = Memory.objects.in_scope(scope).filter(pk=memory_id)
        if not _may_review(by, scope):
            rows = _effective(rows.filter(state=State.ACTIVE.value), now)
        # In one statement, so that a change meanwhile cannot pair old words with new sources.
        sources = Source.objects.in_scope(scope).filter(memory_id=OuterRef("pk"))
        with_sources = rows.annotate(
            found=ArraySubquery(sources.order_by("kind", "ref").values(row=JSONObject(**_SOURCE)))
        )
        memory = with_sources.first()
        if memory is None:
            raise MemoryNotFound
        return memory, tuple(SourceRef(**row) for row in memory.found)


@guarded
def revisions(
    memory_id: UUID, *, scope: Scope, by: Principal, limit: int, before_version: int = 0
) -> list[Revision]:
    """Return the history of a record, newest first; `before_version` is exclusive."""
    _bounded(limit)
    if type(before_version) is not int or before_version < 0:
        raise InvalidMemory("before_version", "must be a whole number, 0 or more")
    validation.identity(memory_id)
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        if not Memory.objects.in_scope(scope).filter(pk=memory_id).exists():
            raise MemoryNotFound
        rows = Revision.objects.in_scope(scope).filter(memory_id=memory_id)
        if before_version:
            rows = rows.filter(version__lt=before_version)
        return list(rows.order_by("-version")[:limit])


@guarded
def sources_of(memories: Sequence[Memory], *, scope: Scope) -> dict[UUID, tuple[SourceRef, ...]]:
    """Return the sources of records that the caller was given, by kind and ref."""
    found: dict[UUID, list[SourceRef]] = {memory.pk: [] for memory in memories}
    with sealed(scope):
        rows = Source.objects.in_scope(scope).filter(memory_id__in=found)
        for row in rows.order_by("kind", "ref").values("memory_id", *_SOURCE):
            found[row.pop("memory_id")].append(SourceRef(**row))
    return {memory_id: tuple(sources) for memory_id, sources in found.items()}


def _may_review(by: Principal, scope: Scope) -> bool:
    try:
        access.authorize(by, access.REVIEW, scope)
    except AccessDenied:
        return False
    return True


def _effective(rows: QuerySet[Memory], now: datetime) -> QuerySet[Memory]:
    return rows.filter(
        Q(valid_until__isnull=True) | Q(valid_until__gt=now),
        valid_from__lte=now,
    )


def _bounded(limit: int) -> None:
    most = conf.settings().limits.list_items
    if type(limit) is not int or not 1 <= limit <= most:
        raise InvalidMemory("limit", f"must be from 1 to {most}")
