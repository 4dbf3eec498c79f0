"""Reading records for people and hosts: lists, one record, its sources and history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from memorykit_app import conf
from memorykit_app.domain import validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import AccessDenied, InvalidMemory, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import Memory, Revision, Source, access, sealed
from memorykit_app.services import rows
from memorykit_app.services.faults import guarded

_PARTS = tuple(field.name for field in fields(SourceRef))
#: A record and where it comes from, by kind and ref.
Recorded = tuple[Memory, tuple[SourceRef, ...]]

# In the statement of the record, so that a change meanwhile cannot pair old words with new
# sources.
_SOURCES: LiteralString = """(
    SELECT json_agg(
             json_build_object(
               'kind', source.kind,
               'ref', source.ref,
               'evidence_hash', source.evidence_hash,
               'quote', source.quote,
               'message_index', source.message_index,
               'quote_start', source.quote_start,
               'quote_end', source.quote_end)
             ORDER BY source.kind, source.ref)
      FROM memorykit_source AS source
     WHERE source.scope_id = memorykit_memory.scope_id
       AND source.memory_id = memorykit_memory.id)"""
_EFFECTIVE: LiteralString = " AND valid_from <= %s AND (valid_until IS NULL OR valid_until > %s)"


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
) -> list[Recorded]:
    """Return records with their sources, newest change first, ties by id; `after` is exclusive.

    States other than active need the review right; without it, active records that are not
    effective at `now` are left out.
    """
    limits = conf.settings().limits
    _bounded(limit)
    if key is not None:
        key = validation.text("key", key, limit=limits.key_chars, blank=False)
    condition: LiteralString = "scope_id = %s AND state = %s"
    params: list[object] = [scope.id, state.value]
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        if state is not State.ACTIVE:
            access.authorize(by, access.REVIEW, scope)
        elif not _may_review(by, scope):
            condition += _EFFECTIVE
            params += [now, now]
        if kind is not None:
            condition += " AND kind = %s"
            params.append(kind.value)
        if key is not None:
            condition += " AND key = %s"
            params.append(key)
        if after is not None:
            condition += " AND (updated_at < %s OR updated_at = %s AND id > %s)"
            params += [after.updated_at, after.updated_at, after.memory_id]
        condition += " ORDER BY updated_at DESC, id LIMIT %s"
        return _recorded(condition, [*params, limit])


@guarded
def read(memory_id: UUID, *, scope: Scope, by: Principal, now: datetime) -> Recorded:
    """Return one record and its sources by kind and ref.

    Raises MemoryNotFound, also when the record is not active and effective at `now` and the
    caller may not review: to them it is not there.
    """
    validation.identity(memory_id)
    condition: LiteralString = "scope_id = %s AND id = %s"
    params: list[object] = [scope.id, memory_id]
    with sealed(scope):
        access.authorize(by, access.READ, scope)
        if not _may_review(by, scope):
            condition += " AND state = %s" + _EFFECTIVE
            params += [State.ACTIVE.value, now, now]
        found = _recorded(condition, params)
    if not found:
        raise MemoryNotFound
    return found[0]


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
        found = Revision.objects.in_scope(scope).filter(memory_id=memory_id)
        if before_version:
            found = found.filter(version__lt=before_version)
        return list(found.order_by("-version")[:limit])


@guarded
def sources_of(memory: Memory, *, scope: Scope) -> tuple[SourceRef, ...]:
    """Return the sources of a record that the caller was given, by kind and ref."""
    with sealed(scope):
        found = rows.select(
            Source, "scope_id = %s AND memory_id = %s ORDER BY kind, ref", [scope.id, memory.pk]
        )
    return tuple(SourceRef(**{name: getattr(row, name) for name in _PARTS}) for row in found)


def _may_review(by: Principal, scope: Scope) -> bool:
    try:
        access.authorize(by, access.REVIEW, scope)
    except AccessDenied:
        return False
    return True


def _recorded(condition: LiteralString, params: Sequence[object]) -> list[Recorded]:
    return [
        (memory, tuple(SourceRef(**source) for source in found or ()))
        for memory, found in rows.select_with(Memory, _SOURCES, condition, params)
    ]


def _bounded(limit: int) -> None:
    most = conf.settings().limits.list_items
    if type(limit) is not int or not 1 <= limit <= most:
        raise InvalidMemory("limit", f"must be from 1 to {most}")
