"""The verbs on a memory that keep its words: one function per verb.

Each takes the id and a `Command`, runs in one transaction, and raises MemoryNotFound,
AccessDenied, Conflict (StaleVersion, TransitionRefused, MemoryHeld) or Unavailable; then
nothing has been written.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from memorykit_app import conf
from memorykit_app.domain.errors import Conflict, KeyTaken, TransitionRefused
from memorykit_app.domain.states import Arrow, State, Verb
from memorykit_app.models import Memory, Revision, sealed
from memorykit_app.services import content as content_check
from memorykit_app.services import lifecycle, scopes
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command


@guarded
def activate(memory_id: UUID, asked: Command) -> Memory:
    """Make a candidate active; the active record under its kind and key becomes inactive.

    Raises ContentRefused or FingerprintBlocked too: rules may have changed since the proposal.
    """
    with sealed(asked.scope):
        memory, step = lifecycle.begin(memory_id, Verb.ACTIVATE, asked)
        content_check.flags_for(key=memory.key, content=memory.content, note=asked.note)
        record = scopes.ensure(asked.scope, now=asked.now)
        content_check.refuse_erased(record, asked.scope, memory.content)
        lifecycle.supersede_holder(memory, asked)
        return lifecycle.write(memory, step, asked)


@guarded
def dismiss(memory_id: UUID, asked: Command) -> Memory:
    """Take a candidate out of review without activating it."""
    return _plain(Verb.DISMISS, memory_id, asked)


@guarded
def forget(memory_id: UUID, asked: Command) -> Memory:
    """Take an active memory out of recall; its words stay and can be restored."""
    return _plain(Verb.FORGET, memory_id, asked)


@guarded
def expire(memory_id: UUID, asked: Command) -> Memory:
    """Make a candidate or an active memory inactive by policy."""
    return _plain(Verb.EXPIRE, memory_id, asked)


@guarded
def hold(memory_id: UUID, asked: Command) -> Memory:
    """Stop erase, expire and correct until the hold is released."""
    return _plain(Verb.HOLD, memory_id, asked, held=True)


@guarded
def release(memory_id: UUID, asked: Command) -> Memory:
    """End a hold."""
    return _plain(Verb.RELEASE, memory_id, asked, held=False)


@guarded
def pin(memory_id: UUID, asked: Command) -> Memory:
    """Make an active memory always-on in projections."""
    return _plain(Verb.PIN, memory_id, asked, pinned=True)


@guarded
def unpin(memory_id: UUID, asked: Command) -> Memory:
    """End a pin."""
    return _plain(Verb.UNPIN, memory_id, asked, pinned=False)


@guarded
def restore(memory_id: UUID, asked: Command) -> Memory:
    """Bring an inactive memory back to the state that it left.

    Raises KeyTaken when another active record holds its kind and key meanwhile.
    """
    with sealed(asked.scope):
        memory, step = lifecycle.begin(memory_id, Verb.RESTORE, asked)
        return _restored(memory, step, asked)


@guarded
def revert(memory_id: UUID, asked: Command) -> Memory:
    """Undo a recent activation: the candidate is back, and so is what it replaced.

    Raises TransitionRefused when the memory changed since, or the time to undo is over.
    """
    with sealed(asked.scope):
        memory, step = lifecycle.begin(memory_id, Verb.REVERT, asked)
        last = Revision.objects.in_scope(asked.scope).get(
            memory_id=memory.pk, version=memory.version
        )
        undo_until = last.created_at + timedelta(seconds=conf.settings().undo_seconds)
        if last.action != Verb.ACTIVATE or asked.now > undo_until:
            raise TransitionRefused(verb=Verb.REVERT.value, state=memory.state)
        replaced = _replaced_by(memory, asked)
        lifecycle.write(memory, step, asked)
        if replaced is not None:
            back = Arrow(Verb.RESTORE, State.INACTIVE, State.ACTIVE, left_as=State.ACTIVE)
            _restored(replaced, back, asked, related_id=memory.pk)
        return memory


def _plain(verb: Verb, memory_id: UUID, asked: Command, **changes: Any) -> Memory:
    with sealed(asked.scope):
        memory, step = lifecycle.begin(memory_id, verb, asked)
        _look_at_note(asked)
        return lifecycle.write(memory, step, asked, **changes)


def _restored(
    memory: Memory, step: Arrow, asked: Command, *, related_id: UUID | None = None
) -> Memory:
    record = scopes.ensure(asked.scope, now=asked.now)
    content_check.refuse_erased(record, asked.scope, memory.content)
    _look_at_note(asked)
    holder = Memory.objects.in_scope(asked.scope).filter(
        kind=memory.kind, key=memory.key, state=State.ACTIVE.value
    )
    if step.target is State.ACTIVE and holder.exists():
        raise KeyTaken
    return lifecycle.write(memory, step, asked, related_id=related_id)


def _replaced_by(memory: Memory, asked: Command) -> Memory | None:
    """Return the record that the last activation superseded, if nothing changed it since."""
    superseded = (
        Revision.objects.in_scope(asked.scope)
        .filter(action=Verb.SUPERSEDE.value, related_id=memory.pk)
        .order_by("-created_at", "-id")
        .first()
    )
    if superseded is None:
        return None
    replaced = (
        Memory.objects.in_scope(asked.scope)
        .select_for_update(no_key=True)
        .get(pk=superseded.memory_id)
    )
    if replaced.version != superseded.version:
        raise Conflict("the memory it replaced changed since: restore it by hand")
    return replaced


def _look_at_note(asked: Command) -> None:
    if asked.note:
        content_check.flags_for(key="", content="", note=asked.note)
