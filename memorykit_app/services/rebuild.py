"""Rebuild: a profile gets the vectors that it lacks, by jobs, while another one serves.

Workers ask for the next part when nothing else is due, so what people write comes first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from uuid import UUID

from django.db import connection, transaction
from uuid6 import uuid7

from memorykit_app import backends, conf, sql
from memorykit_app.domain.errors import Conflict
from memorykit_app.models import Profile, ProfileState, ScopeRecord, sealed
from memorykit_app.services import bell, profiles, scopes
from memorykit_app.services.faults import guarded

_SQL = sql.load("profiles")
#: Claims that one part is good for: enough that workers do not run dry between two parts.
_CLAIMS = 4
#: Scopes looked at in one part; a part ends there though nothing was lacking.
_SCOPES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Active memories, those whose present text has a vector, and the jobs that are about them.

    `characters` is the length of the active texts; `vectors` counts rows, stale ones too.
    """

    active: int = 0
    embedded: int = 0
    characters: int = 0
    vectors: int = 0
    waiting: int = 0
    failed: int = 0

    @property
    def missing(self) -> int:
        return self.active - self.embedded

    def as_dict(self) -> dict[str, int]:
        return asdict(self) | {"missing": self.missing}


@guarded
def build(name: str) -> Profile:
    """Start a profile, or look once more for what it lacks; workers do the rest.

    Raises ImproperlyConfigured without an embedder of its dimension, and Conflict while the
    profile is being dropped. One that is building goes on where it was.
    """
    with transaction.atomic():
        profiles.ensure(name, building=True)
        profile = Profile.objects.select_for_update(no_key=True).get(pk=name)
        if profile.state == ProfileState.DROPPING:
            raise Conflict("the profile is being dropped: finish that first")
        if profile.state == ProfileState.STANDBY:
            profile.state = ProfileState.BUILDING.value
            profile.save(update_fields=["state"])
        if profile.state == ProfileState.SERVING:
            _again(name)
        transaction.on_commit(bell.ring, robust=True)
    backends.observer().notify("memory.profile_build", {"profile": name})
    return profile


@guarded
def feed() -> bool:
    """Queue the next part of a profile that is building; return whether there was one.

    Cursor and jobs are one transaction: a part is asked for once, whoever dies when.
    """
    with transaction.atomic():
        building = Profile.objects.filter(state=ProfileState.BUILDING.value).order_by("name")
        profile = building.select_for_update(no_key=True).first()
        if profile is None:
            return False
        with connection.cursor() as cursor:
            cursor.execute(_SQL["pending"], {"profile": profile.name})
            left = _CLAIMS * conf.settings().jobs.claim_batch - int(cursor.fetchone()[0])
        if left <= 0:
            return False
        for record in _scopes_from(profile.cursor_scope):
            after = profile.cursor_memory if record.pk == profile.cursor_scope else None
            queued = _queue_missing(record, profile.name, after=after, limit=left)
            left -= len(queued)
            profile.cursor_scope = record.pk
            # Past the scope's last id when it was looked through.
            profile.cursor_memory = queued[-1] if left == 0 else UUID(int=2**128 - 1)
            if left == 0:
                break
        else:
            if not _scopes_from(profile.cursor_scope, after=True):
                profile.state = ProfileState.STANDBY.value
                profile.cursor_scope = profile.cursor_memory = None
        profile.save(update_fields=["state", "cursor_scope", "cursor_memory"])
    return True


def coverage(name: str) -> Coverage:
    """Count over all open scopes how much of a profile stands."""
    active = embedded = characters = vectors = 0
    for record in scopes.every():
        with sealed(record.scope), connection.cursor() as cursor:
            cursor.execute(_SQL["coverage"], {"scope": record.pk, "profile": name})
            row = cursor.fetchone()
        active, embedded = active + row[0], embedded + row[1]
        characters, vectors = characters + row[2], vectors + row[3]
    with connection.cursor() as cursor:
        cursor.execute(_SQL["jobs"], {"profile": name})
        waiting, failed = cursor.fetchone()
    return Coverage(
        active=active,
        embedded=embedded,
        characters=characters,
        vectors=vectors,
        waiting=waiting,
        failed=failed,
    )


def _again(name: str) -> None:
    """Queue what the serving profile lacks: it cannot go back to building."""
    for record in scopes.every():
        _queue_missing(record, name, after=None, limit=None)


def _scopes_from(cursor: UUID | None, *, after: bool = False) -> list[ScopeRecord]:
    rows = ScopeRecord.objects.filter(closed_at__isnull=True).order_by("id")
    if cursor is not None:
        rows = rows.filter(id__gt=cursor) if after else rows.filter(id__gte=cursor)
    return list(rows[: 1 if after else _SCOPES])


def _queue_missing(
    record: ScopeRecord, name: str, *, after: UUID | None, limit: int | None
) -> list[UUID]:
    with sealed(record.scope), connection.cursor() as cursor:
        cursor.execute(
            _SQL["missing"],
            {
                "scope": record.pk,
                "profile": name,
                "after": after or UUID(int=0),
                "limit": limit,
            },
        )
        ids = [row[0] for row in cursor.fetchall()]
    if ids:
        _enqueue(record, name, ids)
    return ids


def _enqueue(record: ScopeRecord, name: str, ids: list[UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _SQL["queue"],
            {
                "ids": [uuid7() for _ in ids],
                "targets": ids,
                "scope": record.pk,
                "profile": name,
                "max_attempts": conf.settings().jobs.max_attempts,
            },
        )
    transaction.on_commit(bell.ring, robust=True)
