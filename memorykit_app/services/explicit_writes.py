"""Explicit writes: what a model is asked to remember, under the named policy of the host."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Q

from memorykit_app import conf
from memorykit_app.domain import identity, validation
from memorykit_app.domain.agents import SOURCE, AgentRun
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import Conflict, MemoryNotFound, StaleVersion
from memorykit_app.domain.states import Kind, Provenance, State, Verb
from memorykit_app.models import Memory, access, sealed
from memorykit_app.services import correction, creation, explicit_policy, lifecycle, memories
from memorykit_app.services.correction import Correction
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command


class Result(StrEnum):
    """What became of a write."""

    ACTIVE = "active"
    CANDIDATE = "candidate"
    DUPLICATE = "duplicate"
    INACTIVE = "inactive"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a write, and the record that it made or found."""

    result: Result
    memory_id: UUID
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What to remember. `why` are the model's own words for the reviewer."""

    kind: Kind
    key: str
    content: str
    why: str
    valid_until: datetime | None = None


@guarded
def remember(words: Words, *, run: AgentRun, now: datetime) -> Written:
    """Store words as active or as a candidate, once per run.

    They are active only when the policy is explicit-write-v1, no look at them found anything,
    and under their kind and key there is nothing but the model's own untouched writes. Words
    that the active record says already are a duplicate. Raises InvalidMemory, ContentRefused,
    AccessDenied or Conflict (also when the record was erased since); then nothing is written.
    """
    draft = _draft(words, run, now)
    with sealed(run.scope):
        access.authorize(run.by, Verb.CREATE.value, run.scope)
        lifecycle.lock_slot(run.scope, draft.kind.value, draft.key)
        under_key = Memory.objects.in_scope(run.scope).filter(kind=draft.kind.value, key=draft.key)
        same = explicit_policy.serving(under_key, draft.content, now)
        if same is not None and same.pk != _id(draft, words, run):
            return _written(Result.DUPLICATE, same)
        active = (
            explicit_policy.in_force()
            and explicit_policy.untouched(under_key, run.scope)
            and explicit_policy.unflagged(draft, words.why)
        )
        return _once(draft, words, run, now, State.ACTIVE if active else State.CANDIDATE)


@guarded
def correct(
    memory_id: UUID,
    content: str,
    *,
    why: str,
    expected_version: int,
    run: AgentRun,
    now: datetime,
    valid_until: datetime | None = None,
) -> Written:
    """Give an active record new words: the model's own at once, any other as a candidate.

    Without `valid_until` the record keeps its own. Raises MemoryNotFound when it is not active
    and effective, StaleVersion, InvalidMemory, ContentRefused, AccessDenied or Conflict.
    """
    with sealed(run.scope):
        access.authorize(run.by, Verb.CORRECT.value, run.scope)
        memory = _serving(memory_id, expected_version, run, now)
        until = valid_until or memory.valid_until
        words = Words(
            kind=Kind(memory.kind), key=memory.key, content=content, why=why, valid_until=until
        )
        draft = _draft(words, run, now)
        same = identity.content_hash(draft.content) == memory.content_hash
        if same and until == memory.valid_until:
            return _written(Result.DUPLICATE, memory)
        if not (explicit_policy.in_force() and _own(memory, run)):
            return _once(draft, words, run, now, State.CANDIDATE)
        if not explicit_policy.unflagged(draft, why):
            return _once(draft, words, run, now, State.CANDIDATE)
        changed = correction.correct(
            memory_id,
            _command(expected_version, why, run, now),
            Correction(
                content=draft.content,
                valid_until=draft.valid_until,
                importance=memory.importance,
                confidence=memory.confidence,
                sources=draft.sources,
            ),
        )
        return _written(Result.ACTIVE, changed)


@guarded
def forget(
    memory_id: UUID, expected_version: int, why: str, *, run: AgentRun, now: datetime
) -> Written:
    """Take the model's own untouched write out of recall.

    Raises MemoryNotFound, StaleVersion, AccessDenied, or Conflict when anyone else wrote or
    touched the record, or the policy leaves all to reviewers.
    """
    with sealed(run.scope):
        access.authorize(run.by, Verb.FORGET.value, run.scope)
        memory = _serving(memory_id, expected_version, run, now)
        if not (explicit_policy.in_force() and _own(memory, run)):
            raise Conflict("only a reviewer may forget this record")
        gone = memories.forget(memory_id, _command(expected_version, why, run, now))
        return _written(Result.INACTIVE, gone)


@guarded
def status(memory_id: UUID, *, run: AgentRun) -> State:
    """Return the state of a record that this caller wrote itself, the host's model for this user.

    Raises MemoryNotFound for every other record, there or not, or AccessDenied.
    """
    validation.identity(memory_id)
    with sealed(run.scope):
        access.authorize(run.by, access.READ, run.scope)
        own = Memory.objects.in_scope(run.scope).filter(
            Q(source_agent_id=run.by.actor) | Q(state=State.ERASED.value, source_agent_id=""),
            pk=memory_id,
            created_by=run.actor,
        )
        found = own.values_list("state", flat=True).first()
        if found is None:
            raise MemoryNotFound
        return State(found)


def _draft(words: Words, run: AgentRun, now: datetime) -> Draft:
    draft = Draft(
        kind=words.kind,
        key=words.key,
        content=words.content,
        valid_until=words.valid_until,
        sources=(SourceRef(kind=SOURCE, ref=run.source_ref),),
    )
    draft = validation.draft(draft, conf.settings().limits)
    if draft.valid_until is not None:
        validation.validity(now, draft.valid_until)
    return draft


def _id(draft: Draft, words: Words, run: AgentRun) -> UUID:
    return identity.write_id(run.scope.id, run.run_id, _digest(draft, words))


def _digest(draft: Draft, words: Words) -> str:
    named = {"kind": draft.kind, "key": draft.key, "content": draft.content, "reason": words.why}
    if words.valid_until is not None:
        named["valid_until"] = words.valid_until.isoformat()
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()


def _once(draft: Draft, words: Words, run: AgentRun, now: datetime, state: State) -> Written:
    """Create the record, or tell what became of it when this run wrote the same before."""
    memory_id = _id(draft, words, run)
    before = Memory.objects.in_scope(run.scope).filter(pk=memory_id).first()
    if before is not None:
        return _again(before)
    memory = creation.create(
        draft,
        scope=run.scope,
        by=run.model,
        provenance=Provenance.USER_REQUESTED,
        now=now,
        state=state,
        memory_id=memory_id,
        idempotency_key=f"agent-write:{run.run_id}:{_digest(draft, words)}",
        # The host, so that it never activates what its model proposed.
        source_agent_id=run.by.actor,
        reason=conf.settings().explicit_writes,
        note=words.why,
    )
    return _written(Result(state.value), memory)


def _again(memory: Memory) -> Written:
    """Answer a repeated write with what became of the first."""
    if memory.state == State.ERASED:
        raise Conflict("the record of this write was erased")
    if memory.state == State.INACTIVE:
        return _written(Result.DUPLICATE, memory)
    return _written(Result(memory.state), memory)


def _own(memory: Memory, run: AgentRun) -> bool:
    rows = Memory.objects.in_scope(run.scope).filter(pk=memory.pk)
    return explicit_policy.untouched(rows, run.scope)


def _serving(memory_id: UUID, expected_version: int, run: AgentRun, now: datetime) -> Memory:
    memory = lifecycle.locked(memory_id, run.scope)
    over = memory.valid_until is not None and memory.valid_until <= now
    if memory.state != State.ACTIVE or memory.valid_from > now or over:
        raise MemoryNotFound
    if memory.version != expected_version:
        raise StaleVersion(expected=expected_version, found=memory.version)
    return memory


def _command(expected_version: int, why: str, run: AgentRun, now: datetime) -> Command:
    return Command(
        scope=run.scope,
        by=run.model,
        now=now,
        expected_version=expected_version,
        reason=explicit_policy.NAME,
        note=why,
    )


def _written(result: Result, memory: Memory) -> Written:
    return Written(result=result, memory_id=memory.pk, version=memory.version)
