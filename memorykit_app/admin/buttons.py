"""Buttons: the verbs that this person may use on this record now, each with its key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorykit_app.admin import undo, words
from memorykit_app.admin.desk import Desk
from memorykit_app.domain.states import STOPPED_BY_HOLD, State, Verb, verbs_from
from memorykit_app.models import Memory, Revision

#: One key per verb; erase has none on purpose, revert is the undo of the last decision.
KEYS: dict[Verb, str] = {
    Verb.ACTIVATE: "a",
    Verb.CORRECT: "c",
    Verb.DISMISS: "x",
    Verb.FORGET: "f",
    Verb.RESTORE: "r",
    Verb.REVERT: "z",
    Verb.HOLD: "h",
    Verb.RELEASE: "h",
    Verb.PIN: "p",
    Verb.UNPIN: "p",
}
#: These open a page of their own.
PAGES = (Verb.CORRECT, Verb.ERASE)
_ORDER = (*KEYS, Verb.ERASE)
_TONES = {Verb.ACTIVATE: "yes", Verb.DISMISS: "no", Verb.FORGET: "no", Verb.ERASE: "danger"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One verb; `page` when it leads to a page instead of acting at once."""

    verb: str
    word: str
    key: str
    tone: str
    page: bool


def of(desk: Desk, memory: Memory, revisions: Sequence[Revision]) -> list[Button]:
    """Return the buttons of a record; `revisions` are its newest, newest first."""
    left_as = State(memory.left_as) if memory.left_as else None
    possible = set(verbs_from(State(memory.state), left_as=left_as))
    if memory.held:
        possible -= STOPPED_BY_HOLD | {Verb.HOLD}
    else:
        possible.discard(Verb.RELEASE)
    possible.discard(Verb.UNPIN if not memory.pinned else Verb.PIN)
    last = revisions[0] if revisions else None
    if last is None or last.action != Verb.ACTIVATE or not undo.in_time(last.created_at, desk.now):
        possible.discard(Verb.REVERT)
    if desk.by.actor in (memory.created_by, memory.source_agent_id):
        possible.discard(Verb.ACTIVATE)
    return [
        Button(
            verb=verb.value,
            word=words.of(words.VERBS, verb.value),
            key=KEYS.get(verb, ""),
            tone=_TONES.get(verb, "plain"),
            page=verb in PAGES,
        )
        for verb in _ORDER
        if verb in possible and desk.may(verb.value)
    ]
