"""Leases: holding a job for a while, with a token that fences off whoever held it before."""

from __future__ import annotations

import os
import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import Error, connection, transaction

from memorykit_app import backends, conf, sql
from memorykit_app.domain.errors import LeaseLost
from memorykit_app.domain.scope import Scope, SubjectType
from memorykit_app.models import FailureCode, JobKind

_SQL = sql.load("leases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One job held by this process until its time runs out, `token` being the fence."""

    job_id: UUID
    token: int
    kind: JobKind
    target_id: UUID
    profile: str
    attempts: int
    max_attempts: int
    scope: Scope


def owner() -> str:
    """Return who holds leases here: host and process, so an operator can find it."""
    return f"{socket.gethostname()[:80]}:{os.getpid()}"


def claim(kind: JobKind, *, limit: int) -> list[Lease]:
    """Take up to `limit` due jobs of one kind, oldest first."""
    rows = _run(
        "claim",
        kind=kind.value,
        limit=limit,
        owner=owner(),
        seconds=conf.settings().jobs.lease_seconds,
    )
    return [
        Lease(
            job_id=row[0],
            token=row[1],
            kind=JobKind(row[2]),
            target_id=row[3],
            profile=row[4],
            attempts=row[5],
            max_attempts=row[6],
            scope=Scope(tenant_id=row[7], subject_type=SubjectType(row[8]), subject_id=row[9]),
        )
        for row in rows
    ]


def complete(leases: Sequence[Lease], *, results: int) -> None:
    """Finish jobs inside the transaction that stores their results.

    Raises LeaseLost when one of them is no longer held; then the caller's transaction ends.
    """
    done = _run("complete", results=results, **_held(leases))
    if len(done) != len(leases):
        raise LeaseLost


def fail(
    lease: Lease, code: FailureCode, *, recoverable: bool, retry_after: float | None = None
) -> str:
    """Give a job back after a wait, or end it. Returns its state; raises LeaseLost.

    `retry_after` is the least wait in seconds, where the part that failed named one.
    """
    rows = _run(
        "fail",
        id=lease.job_id,
        token=lease.token,
        code=code.value,
        final=not recoverable,
        wait=max(backoff(lease.attempts), retry_after or 0.0),
    )
    if not rows:
        raise LeaseLost
    backends.observer().notify(
        "memory.job_failed", {"job": str(lease.job_id), "code": code.value, "state": rows[0][0]}
    )
    return str(rows[0][0])


def backoff(attempts: int) -> float:
    """Return seconds to wait after this attempt: full jitter below min(cap, base * 2^n)."""
    retry = conf.settings().jobs.retry
    ceiling = min(retry.cap, retry.base * 2 ** min(attempts, 30))
    return random.uniform(0, ceiling)  # noqa: S311 - spreads load, guards nothing


def rescue() -> int:
    """Free the jobs whose lease ran out; return how many."""
    rows = _run("rescue")
    for job_id, state in rows:
        backends.observer().notify("memory.lease_expired", {"job": str(job_id), "state": state})
    return len(rows)


def overdue(seconds: float) -> bool:
    """Tell whether a job has been due for longer than `seconds`."""
    return bool(_run("waiting", seconds=seconds)[0][0])


@contextmanager
def heartbeat(leases: Sequence[Lease]) -> Iterator[None]:
    """Extend leases at a third of their length, from a thread with a connection of its own."""
    seconds = conf.settings().jobs.lease_seconds
    stop = threading.Event()

    def beat() -> None:
        try:
            while not stop.wait(seconds / 3):
                try:
                    _run("extend", seconds=seconds, **_held(leases))
                except Error:
                    # The next beat tries again; if none gets through, the fence decides.
                    connection.close()
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name="memorykit-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _held(leases: Sequence[Lease]) -> dict[str, Any]:
    return {
        "ids": [lease.job_id for lease in leases],
        "tokens": [lease.token for lease in leases],
    }


def _run(name: str, **params: Any) -> list[tuple[Any, ...]]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SQL[name], params)
        return list(cursor.fetchall())
