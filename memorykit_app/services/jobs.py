"""Jobs: rows in Postgres, written with their cause. The bell rings after the commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from uuid6 import uuid7

from memorykit_app import backends, conf, sql
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import Conflict, InvalidMemory, MemoryNotFound, ScopeClosed
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Job, JobKind, JobState
from memorykit_app.services import bell
from memorykit_app.services.faults import guarded

_SQL = sql.load("jobs")


def enqueue(
    *,
    kind: JobKind,
    scope_id: UUID,
    target_id: UUID,
    profile: str = "",
    job_id: UUID | None = None,
) -> UUID:
    """Write a pending job and ring for it on commit; a job that exists is left alone.

    Returns the id asked for, or the new one.
    """
    job_id = job_id or uuid7()
    with connection.cursor() as cursor:
        cursor.execute(
            _SQL["enqueue"],
            {
                "id": job_id,
                "scope": scope_id,
                "kind": kind.value,
                "target": target_id,
                "profile": profile,
                "max_attempts": conf.settings().jobs.max_attempts,
            },
        )
    transaction.on_commit(bell.ring, robust=True)
    return job_id


@guarded
def redrive(job_id: UUID, *, by: Principal) -> Job:
    """Queue a failed or cancelled job again, with all its attempts before it.

    Raises MemoryNotFound, ScopeClosed, or Conflict when the job is in another state or the same
    work is pending already.
    """
    with transaction.atomic():
        job = _locked(job_id)
        if job.state == JobState.PENDING:
            return job
        if job.state not in (JobState.FAILED, JobState.CANCELLED):
            raise Conflict(f"a job in state {job.state} is not redriven")
        if not _run("redrive", id=job_id, max_attempts=conf.settings().jobs.max_attempts):
            raise ScopeClosed
        transaction.on_commit(bell.ring, robust=True)
        return _told("memory.job_redriven", job, by)


@guarded
def cancel(job_id: UUID, *, by: Principal) -> Job:
    """End a job that is pending, leased or failed; cancelling again changes nothing.

    Whoever holds its lease writes nothing. Raises MemoryNotFound, or Conflict when it is done.
    """
    with transaction.atomic():
        job = _locked(job_id)
        if job.state == JobState.CANCELLED:
            return job
        if not _run("cancel", id=job_id):
            raise Conflict(f"a job in state {job.state} is not cancelled")
        return _told("memory.job_cancelled", job, by)


def cancel_work(scope: Scope, *, target_id: UUID | None = None) -> int:
    """End all open work of a scope, or that about one target; return how many jobs that were."""
    return len(_run("cancel_work", scope=scope.id, target=target_id))


@guarded
def listed(
    *,
    state: JobState | None = None,
    kind: JobKind | None = None,
    scope: Scope | None = None,
    limit: int,
) -> list[Job]:
    """Return jobs with their scope rows, latest change first."""
    if type(limit) is not int or not 1 <= limit <= 10_000:
        raise InvalidMemory("limit", "must be from 1 to 10000")
    rows = Job.objects.select_related("scope")
    if state is not None:
        rows = rows.filter(state=state.value)
    if kind is not None:
        rows = rows.filter(kind=kind.value)
    if scope is not None:
        rows = rows.filter(scope_id=scope.id)
    return list(rows.order_by("-updated_at", "id")[:limit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many jobs of one kind are in one state.

    `waiting_seconds` is how long the oldest due one has waited, 0 when none is due.
    """

    kind: str
    state: str
    count: int
    waiting_seconds: float


@guarded
def tallies(scope: Scope | None = None) -> list[Tally]:
    """Count jobs by kind and state, of one scope or of all."""
    rows = _run("counts", scope=scope.id if scope else None)
    return [
        Tally(kind=kind, state=state, count=count, waiting_seconds=waiting)
        for kind, state, count, waiting in rows
    ]


def stuck(*, seconds: float) -> int:
    """Count leases that ran out more than `seconds` ago and were not given back."""
    return int(_run("stuck", seconds=seconds)[0][0])


def _locked(job_id: UUID) -> Job:
    job = Job.objects.select_for_update().filter(pk=job_id).first()
    if job is None:
        raise MemoryNotFound("no job has this id")
    return job


def _told(event: str, job: Job, by: Principal) -> Job:
    job.refresh_from_db()
    backends.observer().notify(event, {"job": str(job.pk), "actor": by.actor})
    return job


def _run(name: str, **params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_SQL[name], params)
        return list(cursor.fetchall())
