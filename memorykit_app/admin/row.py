"""Row: one record as a list of the desk shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils.translation import gettext as _

from memorykit_app import conf
from memorykit_app.admin import flags, markup, priority, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.flags import Flag
from memorykit_app.admin.priority import Priority
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State
from memorykit_app.models import Memory

_SOON = timedelta(days=7)
LATE = timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How long a candidate has waited; `word` says whether that is long."""

    since: datetime
    due: datetime
    tone: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One record of a list; `key` and `excerpt` are inert markup."""

    id: UUID
    version: int
    kind: str
    key: str
    excerpt: str
    place: str
    state: str
    state_word: str
    flags: tuple[Flag, ...]
    replaces: bool
    held: bool
    pinned: bool
    changed: datetime
    priority: Priority | None = None
    age: Age | None = None

    @property
    def short(self) -> str:
        return short_id(self.id)

    @property
    def clean(self) -> bool:
        """Tell whether it may be decided together with others."""
        return not self.flags and not self.replaces and not self.held


def row(desk: Desk, memory: Memory) -> Row:
    """Return a record as a row; candidates carry priority and age."""
    waiting = memory.state == State.CANDIDATE
    replaces = bool(getattr(memory, "replaces", False))
    return Row(
        id=memory.pk,
        version=memory.version,
        kind=words.of(words.KINDS, memory.kind),
        key=markup.excerpt(memory.key, limit=80),
        excerpt=markup.excerpt(memory.content),
        place=desk.place(memory.scope_id),
        state=memory.state,
        state_word=words.of(words.STATES, memory.state),
        flags=tuple(flags.said(code) for code in memory.flags),
        replaces=replaces,
        held=memory.held,
        pinned=memory.pinned,
        changed=memory.updated_at,
        priority=priority.of(memory.flags, replaces=replaces) if waiting else None,
        age=age(memory, now=desk.now) if waiting else None,
    )


def age(memory: Memory, *, now: datetime) -> Age:
    """Return how long a candidate waits and when the sweep will expire it."""
    due = memory.updated_at + timedelta(days=conf.settings().candidate_days)
    tone, word = "fresh", ""
    if due - now <= _SOON:
        tone, word = "soon", _("expires soon")
    elif now - memory.created_at >= LATE:
        tone, word = "late", _("waits long")
    return Age(since=memory.created_at, due=due, tone=tone, word=word)
