"""Dropping a profile: its jobs end, its vectors go in batches, then its row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from django.db import connection, transaction

from memorykit_app import backends, sql
from memorykit_app.domain.errors import Conflict
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Profile, ProfileState, sealed
from memorykit_app.services import profiles, scopes
from memorykit_app.services.faults import guarded

_SQL = sql.load("profiles")
_BATCH = 1_000


def drop(name: str) -> Iterator[int]:
    """Drop a profile; yield after each batch how many vectors it took.

    Each batch is a transaction of its own, so a drop that was stopped goes on where it was; one
    of a profile that is not there has nothing to do. Raises Conflict for the serving profile.
    """
    if not _close(name):
        return
    for record in chain(scopes.every(), scopes.every(closed=True)):
        while taken := _take(record.scope, name):
            yield taken
    with transaction.atomic():
        Profile.objects.filter(pk=name).delete()
    backends.observer().notify("memory.profile_dropped", {"profile": name})


@guarded
def _close(name: str) -> bool:
    """End all work for the profile; return False when there is no such profile."""
    with transaction.atomic():
        profile = Profile.objects.select_for_update(no_key=True).filter(pk=name).first()
        if profile is None:
            return False
        if name == profiles.serving():
            raise Conflict("the serving profile is not dropped: switch to another one first")
        if profile.state != ProfileState.DROPPING:
            profile.state = ProfileState.DROPPING.value
            profile.save(update_fields=["state"])
        with connection.cursor() as cursor:
            cursor.execute(_SQL["cancel"], {"profile": name})
    return True


@guarded
def _take(scope: Scope, name: str) -> int:
    with sealed(scope), connection.cursor() as cursor:
        cursor.execute(_SQL["take"], {"scope": scope.id, "profile": name, "limit": _BATCH})
        return int(cursor.rowcount)
