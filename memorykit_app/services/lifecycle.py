"""The life cycle: lock, authorize, version, state, write, revision, in this order, always."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memorykit_app.backends.base import Target
from memorykit_app.domain import identity, validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    Conflict,
    MemoryHeld,
    MemoryNotFound,
    StaleVersion,
    TransitionRefused,
)
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import STOPPED_BY_HOLD, Arrow, State, Verb, arrow
from memorykit_app.models import Memory, Source, access
from memorykit_app.services import embedding_queue, revisions, rows, search_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Who asks for a change, of which version, and why. Raises InvalidMemory."""

    scope: Scope
    by: Principal
    now: datetime
    expected_version: int
    reason: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        validation.moment("now", self.now)
        validation.expected_version(self.expected_version)
        validation.reason(self.reason)
        object.__setattr__(self, "note", validation.note(self.note))


def target_of(memory: Memory) -> Target:
    return Target(
        state=memory.state, created_by=memory.created_by, source_agent=memory.source_agent_id
    )


def sources_of(memory: Memory, scope: Scope) -> list[Source]:
    return rows.select(
        Source, "scope_id = %s AND memory_id = %s ORDER BY kind, ref", [scope.id, memory.id]
    )


def advisory_lock(scope: Scope, *parts: str) -> None:
    """Take a lock that ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [identity.slot(scope.id, *parts)])


def lock_slot(scope: Scope, kind: str, key: str) -> None:
    """Take the lock of one kind and key: the first lock of every change, so none can cross."""
    advisory_lock(scope, "slot", kind, key)


def locked(memory_id: UUID, scope: Scope) -> Memory:
    """Return the row under its slot lock and row lock. Raises MemoryNotFound.

    Raises InvalidMemory when the id is not a UUID.
    """
    validation.identity(memory_id)
    this = [scope.id, memory_id]
    found = rows.select(Memory, "scope_id = %s AND id = %s", this)
    while found:
        seen = found[0]
        lock_slot(scope, seen.kind, seen.key)
        found = rows.select(Memory, "scope_id = %s AND id = %s FOR NO KEY UPDATE", this)
        # A candidate's key may have changed between the look and the lock.
        if (found[0].kind, found[0].key) == (seen.kind, seen.key):
            return found[0]
        if found[0].state == State.ERASED:
            return found[0]
    raise MemoryNotFound


def begin(memory_id: UUID, verb: Verb, command: Command) -> tuple[Memory, Arrow]:
    """Lock the row and check everything that may refuse this verb.

    Raises MemoryNotFound, AccessDenied or Conflict (StaleVersion, TransitionRefused, MemoryHeld).
    """
    memory = locked(memory_id, command.scope)
    return memory, checked(memory, verb, command)


def checked(memory: Memory, verb: Verb, command: Command) -> Arrow:
    """Check everything that may refuse this verb on a locked row.

    Raises AccessDenied or Conflict (StaleVersion, TransitionRefused, MemoryHeld).
    """
    access.authorize(command.by, verb.value, command.scope, target_of(memory))
    if memory.version != command.expected_version:
        raise StaleVersion(expected=command.expected_version, found=memory.version)
    state = State(memory.state)
    left_as = State(memory.left_as) if memory.left_as else None
    step = arrow(verb, state, left_as=left_as)
    if step is None:
        raise TransitionRefused(verb=verb.value, state=memory.state)
    if memory.held and verb in STOPPED_BY_HOLD:
        raise MemoryHeld
    if command.now < memory.updated_at:
        raise Conflict("the clock is behind the last change of this memory")
    return step


def write(
    memory: Memory,
    step: Arrow,
    command: Command,
    *,
    sources: list[Source] | None = None,
    related_id: UUID | None = None,
    **changes: Any,
) -> Memory:
    """Write one step and its revision, and keep search data true to the new state."""
    before, old_version = State(memory.state), memory.version
    if step.target is State.INACTIVE:
        changes["left_as"] = memory.left_as if before is State.INACTIVE else before.value
    else:
        changes["left_as"] = ""
    changes |= {
        "state": step.target.value,
        "version": old_version + 1,
        "updated_at": command.now,
    }
    same = [command.scope.id, memory.pk, old_version]
    if rows.update(Memory, changes, "scope_id = %s AND id = %s AND version = %s", same) != 1:
        raise Conflict
    for name, value in changes.items():
        setattr(memory, name, value)
    if sources is None:
        sources = sources_of(memory, command.scope)
    with rows.one_round_trip():
        revisions.record(
            memory,
            step.verb,
            sources=sources,
            actor=command.by.actor,
            reason=command.reason,
            note=command.note,
            now=command.now,
            related_id=related_id,
        )
        if step.target is State.ACTIVE:
            if before is not State.ACTIVE:
                search_terms.add(memory)
                embedding_queue.enqueue(memory)
            elif "content" in changes:
                search_terms.index(memory)
                embedding_queue.enqueue(memory)
        elif before is State.ACTIVE and step.target is not State.ERASED:
            search_terms.clear(memory)
    return memory


def supersede_holder(memory: Memory, command: Command) -> None:
    """Make the active record of this memory's kind and key inactive, if there is one."""
    for holder in rows.select(
        Memory,
        "scope_id = %s AND kind = %s AND key = %s AND state = %s FOR NO KEY UPDATE",
        [command.scope.id, memory.kind, memory.key, State.ACTIVE.value],
    ):
        if command.now < holder.updated_at:
            raise Conflict("the clock is behind the last change of the memory it supersedes")
        step = Arrow(Verb.SUPERSEDE, State.ACTIVE, State.INACTIVE)
        write(holder, step, command, related_id=memory.pk)
