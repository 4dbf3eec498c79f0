"""Create: a new memory as candidate or active, once per idempotency key."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from uuid6 import uuid7

from memorykit_app import conf
from memorykit_app.domain import identity, validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import Conflict, IdempotencyConflict
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Provenance, State, Verb
from memorykit_app.models import Idempotency, Memory, ScopeRecord, Source, access, sealed
from memorykit_app.services import content as content_check
from memorykit_app.services import (
    embedding_queue,
    lifecycle,
    revisions,
    rows,
    scopes,
    search_terms,
)
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

_STARTS = (State.CANDIDATE, State.ACTIVE)


@guarded
def create(
    draft: Draft,
    *,
    scope: Scope,
    by: Principal,
    provenance: Provenance,
    now: datetime,
    state: State = State.CANDIDATE,
    memory_id: UUID | None = None,
    idempotency_key: str = "",
    source_agent_id: str = "",
    reason: str = "",
    note: str = "",
) -> Memory:
    """Store a draft as a new memory and return it.

    A replay with the same idempotency key and request returns the row as it is now and writes
    nothing. Raises InvalidMemory, ContentRefused, FingerprintBlocked, AccessDenied, Conflict
    (also for a replay with another request, a taken id, or a row erased since) or ScopeClosed.
    """
    limits = conf.settings().limits
    draft = validation.draft(draft, limits)
    if state not in _STARTS:
        raise Conflict("a memory starts as candidate or active")
    asked = Command(scope=scope, by=by, now=now, expected_version=1, reason=reason, note=note)
    for name, value in (
        ("idempotency_key", idempotency_key),
        ("source_agent_id", source_agent_id),
    ):
        validation.text(name, value, limit=limits.metadata_chars)
    # What was asked, not what was found in it: flags and defaults may change between releases.
    request = _canonical(draft, state, memory_id, provenance, source_agent_id, asked)
    flags = content_check.flags_for(
        key=draft.key,
        content=draft.content,
        note=asked.note,
        sources=draft.sources,
        source_agent_id=source_agent_id,
    )
    with sealed(scope):
        access.authorize(by, "create" if state is State.ACTIVE else access.PROPOSE, scope)
        record = scopes.ensure(scope, now=now)
        if idempotency_key:
            replayed = _replayed(record, scope, idempotency_key, request)
            if replayed is not None:
                return replayed
        content_check.refuse_erased(record, scope, draft.content)
        memory = Memory(
            id=memory_id or uuid7(),
            scope_id=scope.id,
            kind=draft.kind.value,
            key=draft.key,
            content=draft.content,
            content_hash=identity.content_hash(draft.content),
            state=state.value,
            valid_from=draft.valid_from or now,
            valid_until=draft.valid_until,
            importance=draft.importance,
            confidence=draft.confidence,
            provenance=provenance.value,
            source_agent_id=source_agent_id,
            created_by=by.actor,
            flags=sorted({*draft.flags, *flags}),
            created_at=now,
            updated_at=now,
        )
        validation.validity(memory.valid_from, memory.valid_until)
        lifecycle.lock_slot(scope, memory.kind, memory.key)
        if state is State.ACTIVE:
            lifecycle.supersede_holder(memory, asked)
        _insert(memory, draft.sources, asked)
        if idempotency_key:
            _remember(record, scope, idempotency_key, request, memory)
        return memory


def source_rows(memory: Memory, sources: tuple[SourceRef, ...]) -> list[Source]:
    return [
        Source(id=uuid7(), scope_id=memory.scope_id, memory_id=memory.pk, **asdict(source))
        for source in sources
    ]


def _insert(memory: Memory, sources: tuple[SourceRef, ...], asked: Command) -> None:
    found = source_rows(memory, sources)
    with rows.one_round_trip():
        rows.insert(memory, *found)
        revisions.record(
            memory,
            Verb.CREATE,
            sources=found,
            actor=asked.by.actor,
            reason=asked.reason,
            note=asked.note,
            now=asked.now,
        )
        if memory.state == State.ACTIVE:
            search_terms.add(memory)
            embedding_queue.enqueue(memory)


def _canonical(
    draft: Draft,
    state: State,
    memory_id: UUID | None,
    provenance: Provenance,
    source_agent_id: str,
    asked: Command,
) -> str:
    """Return the whole request but its time as one text."""
    return json.dumps(
        {
            "draft": asdict(draft),
            "state": state,
            "id": memory_id,
            "provenance": provenance,
            "source_agent_id": source_agent_id,
            "actor": asked.by.actor,
            "reason": asked.reason,
            "note": asked.note,
        },
        sort_keys=True,
        default=str,
    )


def _replayed(
    record: ScopeRecord, scope: Scope, idempotency_key: str, request: str
) -> Memory | None:
    key_digest = scopes.digest(record, "idempotency", idempotency_key)
    lifecycle.advisory_lock(scope, "idempotency", key_digest)
    seen = Idempotency.objects.in_scope(scope).filter(key_digest=key_digest).first()
    if seen is None:
        return None
    if seen.request_digest != scopes.digest(record, "request", request):
        raise IdempotencyConflict
    memory = Memory.objects.in_scope(scope).get(pk=seen.memory_id)
    if memory.state == State.ERASED:
        raise Conflict("the memory that this request made was erased")
    return memory


def _remember(
    record: ScopeRecord, scope: Scope, idempotency_key: str, request: str, memory: Memory
) -> None:
    Idempotency(
        id=uuid7(),
        scope_id=scope.id,
        key_digest=scopes.digest(record, "idempotency", idempotency_key),
        request_digest=scopes.digest(record, "request", request),
        memory_id=memory.pk,
        created_at=memory.created_at,
    ).save(force_insert=True)
