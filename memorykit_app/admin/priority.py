"""Priority: how much care a candidate needs, in a word with its reasons; never a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from memorykit_app.admin import flags
from memorykit_app.domain.states import State
from memorykit_app.models import Granted, Memory


class Level(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Priority:
    """A level and why, both in the reader's language."""

    level: Level
    word: str
    reasons: tuple[str, ...]


def of(codes: Iterable[str], *, replaces: bool) -> Priority:
    """Return the priority of a candidate with these flags."""
    found = tuple(codes)
    reasons = tuple(flags.said(code).word for code in found)
    if replaces:
        reasons += (_("replaces an active record"),)
    if set(found) - set(flags.MILD):
        return Priority(Level.HIGH, _("high"), reasons)
    if found or replaces:
        return Priority(Level.MEDIUM, _("medium"), reasons)
    return Priority(Level.LOW, _("low"), (_("new and clean"),))


def ordered(rows: QuerySet[Memory], granted: Granted) -> QuerySet[Memory]:
    """Order candidates by priority, then by who waits longest."""
    rank = Case(
        When(~Q(flags__contained_by=list(flags.MILD)), then=Value(0)),
        When(Q(_holder(granted)) | ~Q(flags=[]), then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    return rows.order_by(rank, "updated_at", "id")


def with_holder(rows: QuerySet[Memory], granted: Granted) -> list[Memory]:
    """Return records with `replaces` on each: whether an active one holds its kind and key."""
    return list(rows.annotate(replaces=_holder(granted)))


def _holder(granted: Granted) -> Exists:
    return Exists(
        Memory.objects.in_granted(granted).filter(
            scope_id=OuterRef("scope_id"),
            kind=OuterRef("kind"),
            key=OuterRef("key"),
            state=State.ACTIVE.value,
        )
    )
