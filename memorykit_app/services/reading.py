"""Reading records for people and hosts: lists, one record, its sources and history."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memorykit_app import conf
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import InvalidMemory, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import Memory, Revision, Source, access, sealed
from memorykit_app.services.faults import guarded


@guarded
def list_memories(
    *,
    scope: Scope,
    by: Principal,
    state: State = State.ACTIVE,
    kind: Kind | None = None,
    key: str | None = None,
    limit: int,
) -> list[Memory]:
    """Return records, newest change first, ties by id. Other states need the review right."""
    _bounded(limit)
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        if state is not State.ACTIVE:
            access.authorize(by, access.REVIEW, scope)
        rows = Memory.objects.in_scope(scope).filter(state=state.value)
        if kind is not None:
            rows = rows.filter(kind=kind.value)
        if key is not None:
            rows = rows.filter(key=key)
        return list(rows.order_by("-updated_at", "id")[:limit])


@guarded
def read(memory_id: UUID, *, scope: Scope, by: Principal) -> tuple[Memory, Sequence[Source]]:
    """Return one record and its sources by kind and ref.

    Raises MemoryNotFound, also when the record is not active and the caller may not review.
    """
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        memory = Memory.objects.in_scope(scope).filter(pk=memory_id).first()
        if memory is None:
            raise MemoryNotFound
        if memory.state != State.ACTIVE:
            access.authorize(by, access.REVIEW, scope)
        sources = Source.objects.in_scope(scope).filter(memory_id=memory_id)
        return memory, list(sources.order_by("kind", "ref"))


@guarded
def revisions(
    memory_id: UUID, *, scope: Scope, by: Principal, limit: int, before_version: int = 0
) -> list[Revision]:
    """Return the history of a record, newest first; `before_version` is exclusive."""
    _bounded(limit)
    if type(before_version) is not int or before_version < 0:
        raise InvalidMemory("before_version", "must be a whole number, 0 or more")
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        if not Memory.objects.in_scope(scope).filter(pk=memory_id).exists():
            raise MemoryNotFound
        rows = Revision.objects.in_scope(scope).filter(memory_id=memory_id)
        if before_version:
            rows = rows.filter(version__lt=before_version)
        return list(rows.order_by("-version")[:limit])


def _bounded(limit: int) -> None:
    most = conf.settings().limits.list_items
    if type(limit) is not int or not 1 <= limit <= most:
        raise InvalidMemory("limit", f"must be from 1 to {most}")
