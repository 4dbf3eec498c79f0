"""The sweep: rescue leases, ring lost bells, expire candidates, drop what is old, seal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction

from memorykit_app import conf
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import Conflict
from memorykit_app.domain.states import State
from memorykit_app.models import Memory, ScopeRecord, sealed
from memorykit_app.services import (
    bell,
    leases,
    memories,
    rebuild,
    receipts,
    scopes,
    seals,
    transcripts,
)
from memorykit_app.services.lifecycle import Command

_LOCK = 7_301_822_113_345_001
SWEEPER = Principal.system("sweep")
CANDIDATE_TTL = "candidate_ttl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one sweep did; `skipped` when another sweeper was at it."""

    rescued: int = 0
    rang: bool = False
    expired: int = 0
    transcripts: int = 0
    receipts: int = 0
    seals: int = 0
    skipped: bool = False

    def as_dict(self) -> dict[str, int | bool]:
        return asdict(self)


def sweep(
    *,
    now: datetime,
    dry_run: bool = False,
    stopping: Callable[[], bool] = lambda: False,
) -> Swept:
    """Run one sweep, or none when another process holds the sweep lock.

    Ends before the next scope when `stopping` says so; the next sweep does the rest.
    """
    with transaction.atomic():
        if not _try_lock():
            return Swept(skipped=True)
        rescued = 0 if dry_run else leases.rescue()
    overdue = rescued or leases.overdue(conf.settings().jobs.bell_after_seconds)
    rang = bool(overdue) and not dry_run and bell.ring()
    if not dry_run:
        # A build goes on, though the worker died that would have asked for its next part.
        rebuild.feed()
    expired = deleted = 0
    for record in scopes.every():
        if stopping():
            break
        expired += expire_candidates(record, now=now, dry_run=dry_run)
        if not dry_run:
            deleted += transcripts.sweep(record.scope, now=now)
    return Swept(
        rescued=rescued,
        rang=rang,
        expired=expired,
        transcripts=deleted,
        receipts=0 if dry_run else _old_receipts(now, stopping),
        seals=0 if dry_run else _seal(stopping),
    )


def expire_candidates(record: ScopeRecord, *, now: datetime, dry_run: bool = False) -> int:
    """Expire the candidates of one scope that nobody decided within CANDIDATE_DAYS."""
    oldest = now - timedelta(days=conf.settings().candidate_days)
    with sealed(record.scope):
        due = list(
            Memory.objects.in_scope(record.scope)
            .filter(state=State.CANDIDATE.value, held=False, updated_at__lt=oldest)
            .order_by("id")
            .values_list("id", "version")
        )
    if dry_run:
        return len(due)
    done = 0
    for memory_id, version in due:
        asked = Command(
            scope=record.scope,
            by=SWEEPER,
            now=now,
            expected_version=version,
            reason=CANDIDATE_TTL,
        )
        try:
            memories.expire(memory_id, asked)
        except Conflict:
            # A reviewer was faster.
            continue
        done += 1
    return done


def _old_receipts(now: datetime, stopping: Callable[[], bool]) -> int:
    """Delete the recall receipts whose days are over, in closed scopes too; return how many."""
    deleted = 0
    for closed in (False, True):
        for record in scopes.every(closed=closed):
            if stopping():
                return deleted
            deleted += receipts.sweep(record.scope, now=now)
    return deleted


def _seal(stopping: Callable[[], bool]) -> int:
    """Seal one batch in each scope, in closed scopes too; return how many revisions."""
    done = 0
    for closed in (False, True):
        for record in scopes.every(closed=closed):
            if stopping():
                return done
            done += seals.extend(record.scope)
    return done


def _try_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])
