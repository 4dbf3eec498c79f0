"""Undo: taking back the decision that was just made, for as long as that is possible."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memorykit_app import conf
from memorykit_app.admin import words
from memorykit_app.admin.desk import Desk
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import Verb
from memorykit_app.models import Memory, Revision

#: The verb that takes each decision back.
BACK: dict[str, Verb] = {
    Verb.ACTIVATE.value: Verb.REVERT,
    Verb.DISMISS.value: Verb.RESTORE,
    Verb.FORGET.value: Verb.RESTORE,
    Verb.HOLD.value: Verb.RELEASE,
    Verb.RELEASE.value: Verb.HOLD,
    Verb.PIN.value: Verb.UNPIN,
    Verb.UNPIN.value: Verb.PIN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """What was just done to a record; `verb` takes it back, blank when nothing does."""

    id: UUID
    version: int
    kind: str
    done: str
    verb: str

    @property
    def short(self) -> str:
        return short_id(self.id)


def offered(desk: Desk) -> Undo | None:
    """Return the decision named by `done` in the link, if it was this person's and the last."""
    try:
        memory_id = UUID(desk.request.GET.get("done", ""))
    except ValueError:
        return None
    memory = Memory.objects.in_granted(desk.granted).filter(pk=memory_id).first()
    if memory is None:
        return None
    last = (
        Revision.objects.in_granted(desk.granted)
        .filter(memory_id=memory.pk, version=memory.version, actor=desk.by.actor)
        .first()
    )
    if last is None:
        return None
    verb = BACK.get(last.action)
    usable = verb is not None and desk.may(verb) and in_time(last.created_at, desk.now)
    return Undo(
        id=memory.pk,
        version=memory.version,
        kind=words.of(words.KINDS, memory.kind),
        done=words.of(words.DONE, last.action),
        verb=verb.value if verb is not None and usable else "",
    )


def in_time(decided: datetime, now: datetime) -> bool:
    return now <= decided + timedelta(seconds=conf.settings().undo_seconds)
