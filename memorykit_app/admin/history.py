"""History: every step in the life of a record, who took it, and what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memorykit_app.admin import markup, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.people import Names
from memorykit_app.domain import diff
from memorykit_app.models import Memory, Revision

STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One revision; `change` is the text against the step before, blank when it stayed."""

    version: int
    action: str
    code: str
    actor: str
    reason: str
    note: str
    at: datetime
    erased: bool
    change: str


def latest(desk: Desk, memory: Memory) -> list[Revision]:
    """Return the newest revisions of a record, newest first, one more than is shown."""
    return list(
        Revision.objects.in_granted(desk.granted)
        .filter(memory_id=memory.pk)
        .order_by("-version")[: STEPS + 1]
    )


def steps(revisions: Sequence[Revision], names: Names) -> list[Step]:
    """Return revisions, newest first, as steps with what each changed."""
    befores = [*revisions[1:], None]
    return [
        Step(
            version=one.version,
            action=words.of(words.DONE, one.action),
            code=one.action,
            actor=names.of(one.actor),
            reason=words.of(words.REASONS, one.reason) if one.reason else "",
            note=markup.text(one.note),
            at=one.created_at,
            erased=one.content_erased,
            change=_change(before, one),
        )
        for one, before in list(zip(revisions, befores, strict=True))[:STEPS]
    ]


def _change(before: Revision | None, after: Revision) -> str:
    if before is None or before.content_erased or after.content_erased:
        return ""
    old, new = before.snapshot["content"], after.snapshot["content"]
    return "" if old == new else markup.parts(diff.compare(old, new).parts)
