"""Queue: the candidates that wait, riskiest first, and what was decided lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _

from memorykit_app.admin import listing, markup, priority, undo, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.listing import Filters
from memorykit_app.admin.people import Names
from memorykit_app.admin.row import Row, row
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import Granted, Memory, Revision

WAITING, FLAGGED, MINE, DECIDED, EXPIRED = VIEWS = (
    "waiting",
    "flagged",
    "mine",
    "decided",
    "expired",
)
#: How far "4 of 12" counts.
FAR = 1_000
_DECISIONS = tuple(
    verb.value
    for verb in (
        Verb.ACTIVATE,
        Verb.CORRECT,
        Verb.DISMISS,
        Verb.FORGET,
        Verb.RESTORE,
        Verb.REVERT,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Candidates of the granted scopes: how many, flagged, and since when."""

    waiting: int
    flagged: int
    oldest: Any
    newest: Any


def show(desk: Desk) -> HttpResponse:
    """Show the queue in the view that is asked for."""
    asked = listing.filters(desk, VIEWS)
    with desk.sealed():
        counted = counters(desk.granted)
        context: dict[str, Any] = {
            "filters": asked,
            "counters": counted,
            "tabs": _tabs(asked, counted),
            "undo": undo.offered(desk),
            "may_bulk": desk.may(Verb.ACTIVATE) or desk.may(Verb.DISMISS),
            **listing.choices(desk),
        }
        if asked.view in (WAITING, FLAGGED):
            # Ids first: the holder of a key is looked up again for the rows of this page only.
            page = listing.page(waiting(desk, asked).values_list("id", flat=True), asked.page)
            context |= {"page": page, "rows": _rows(desk, page.rows)}
        else:
            page = listing.page(_decisions(desk, asked), asked.page)
            context |= {"page": page, "decisions": _decided(desk, page.rows)}
        return desk.page("queue", _("Review queue"), context)


def counters(granted: Granted) -> Counters:
    """Count the candidates of some scopes, inside their seal."""
    found = (
        Memory.objects.in_granted(granted)
        .filter(state=State.CANDIDATE.value)
        .aggregate(
            waiting=Count("id"),
            flagged=Count("id", filter=~Q(flags=[])),
            oldest=Min("created_at"),
            newest=Max("created_at"),
        )
    )
    return Counters(**found)


def waiting(desk: Desk, asked: Filters) -> QuerySet[Memory]:
    """Return the candidates of a view in the order in which they are worked through."""
    rows = Memory.objects.in_granted(desk.granted).filter(state=State.CANDIDATE.value)
    if asked.view == FLAGGED:
        rows = rows.exclude(flags=[])
    return priority.ordered(asked.applied(rows), desk.granted)


def _rows(desk: Desk, ids: Sequence[UUID]) -> list[Row]:
    chosen = Memory.objects.in_granted(desk.granted).filter(pk__in=ids)
    found = {one.pk: one for one in priority.with_holder(chosen, desk.granted)}
    return [row(desk, found[memory_id]) for memory_id in ids]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where a candidate stands in its view: `number` of `total`, and its neighbours."""

    number: int
    total: int
    more: bool
    before: UUID | None
    after: UUID | None


def position(desk: Desk, asked: Filters, memory: Memory) -> Position | None:
    """Return the place of a candidate in its view, or None when it is not in it."""
    ids: list[UUID] = list(waiting(desk, asked).values_list("id", flat=True)[: FAR + 1])
    if memory.pk not in ids[:FAR]:
        return None
    index = ids.index(memory.pk)
    return Position(
        number=index + 1,
        total=min(len(ids), FAR),
        more=len(ids) > FAR,
        before=ids[index - 1] if index else None,
        after=ids[index + 1] if index + 1 < len(ids) else None,
    )


def _decisions(desk: Desk, asked: Filters) -> QuerySet[Any]:
    rows: QuerySet[Any] = Revision.objects.in_granted(desk.granted).select_related("memory")
    match asked.view:
        case "expired":
            # Only what is still expired: reopened ones wait again.
            rows = rows.filter(action=Verb.EXPIRE.value, memory__version=F("version"))
        case "mine":
            rows = rows.filter(action__in=_DECISIONS, actor=desk.by.actor)
        case _:
            rows = rows.filter(action__in=_DECISIONS)
    return asked.applied(rows, "memory__").order_by("-created_at", "-id")


def _decided(desk: Desk, revisions: Sequence[Revision]) -> list[dict[str, Any]]:
    names = Names(revision.actor for revision in revisions)
    return [
        {
            "row": row(desk, revision.memory),
            "action": words.of(words.DONE, revision.action),
            "code": revision.action,
            "actor": names.of(revision.actor),
            "reason": words.of(words.REASONS, revision.reason) if revision.reason else "",
            "note": markup.excerpt(revision.note),
            "at": revision.created_at,
        }
        for revision in revisions
    ]


def _tabs(asked: Filters, counted: Counters) -> list[dict[str, Any]]:
    names = {
        WAITING: (_("Waiting"), counted.waiting),
        FLAGGED: (_("Flagged"), counted.flagged),
        MINE: (_("Decided by me"), None),
        DECIDED: (_("Decided"), None),
        EXPIRED: (_("Expired"), None),
    }
    return [
        {"word": word, "count": count, "link": asked.link(view=view), "open": view == asked.view}
        for view, (word, count) in names.items()
    ]
