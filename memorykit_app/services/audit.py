"""Audit: who did what to which record and when, without a word of its content."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Revision, access, sealed
from memorykit_app.services.faults import guarded

BATCH = 500
# Neither note nor snapshot: both may hold words.
_FIELDS = (
    "id",
    "memory_id",
    "version",
    "action",
    "state",
    "actor",
    "reason",
    "related_id",
    "content_erased",
    "created_at",
)


def revisions(
    *,
    scope: Scope,
    by: Principal,
    since: datetime | None = None,
    until: datetime | None = None,
    batch: int = BATCH,
) -> Iterator[dict[str, Any]]:
    """Yield the revisions of a scope without their content, oldest first.

    `since` is inclusive, `until` exclusive. Reads `batch` rows a transaction, so that no long
    one stands open. Raises AccessDenied with the first row.
    """
    after: tuple[datetime, UUID] | None = None
    while True:
        rows = _page(scope, by, since, until, after, batch)
        yield from rows
        if len(rows) < batch:
            return
        after = rows[-1]["created_at"], rows[-1]["id"]


@guarded
def count(
    *,
    scope: Scope,
    by: Principal,
    since: datetime | None = None,
    until: datetime | None = None,
) -> int:
    """Return how many rows `revisions` would yield now. Raises AccessDenied."""
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        return Revision.objects.in_scope(scope).filter(_within(since, until)).count()


@guarded
def _page(
    scope: Scope,
    by: Principal,
    since: datetime | None,
    until: datetime | None,
    after: tuple[datetime, UUID] | None,
    batch: int,
) -> list[dict[str, Any]]:
    wanted = _within(since, until)
    if after is not None:
        moment, last = after
        wanted &= Q(created_at__gt=moment) | Q(created_at=moment, id__gt=last)
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        rows = Revision.objects.in_scope(scope).filter(wanted)
        return list(rows.order_by("created_at", "id").values(*_FIELDS)[:batch])


def _within(since: datetime | None, until: datetime | None) -> Q:
    wanted = Q()
    if since is not None:
        wanted &= Q(created_at__gte=since)
    if until is not None:
        wanted &= Q(created_at__lt=until)
    return wanted
