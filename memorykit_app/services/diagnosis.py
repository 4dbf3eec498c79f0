"""Diagnosis: what an operator must know about database, queue and work, each with a next step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import django_rq
import redis
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from rq import Worker

from memorykit_app import conf, sql
from memorykit_app.models import JobState, ScopeRecord, sealed
from memorykit_app.models.scoping import ScopedManager
from memorykit_app.services import faults, jobs, profiles, scopes, seals, server

LABEL = "memorykit"
# RQ gives a worker's key its time to live plus 60 s with each heartbeat, and beats in time.
_SILENT_TTL = 45
_WORKER = (
    "manage.py rqworker {queue} --worker-class memorykit_app.tasks.MemorykitWorker"
    " --serializer rq.serializers.JSONSerializer --worker-ttl 60"
)
_SQL = sql.load("diagnosis")


class Level(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `step` says what to do when it is not as it should be."""

    name: str
    level: Level
    detail: str
    step: str = ""


def diagnose() -> Iterator[Finding]:
    """Look at everything, one finding after the other; a part that is away skips what needs it.

    Raises nothing for what it looks at.
    """
    yield (database := _guarded("database", _database))
    has_tables = False
    for name, look in (("role", _role), ("schema", _schema)):
        found = _guarded(name, look, needs=database)
        has_tables = found.name == "schema" and found.level is Level.OK
        yield found
    schema = Finding("schema", Level.OK if has_tables else Level.SKIP, "")
    yield _guarded("row security", _row_security, needs=schema)
    yield (reachable := _guarded("redis", _redis))
    yield _guarded("workers", lambda: _workers(has_tables=has_tables), needs=reachable)
    for name, look in (
        ("bells", _bells),
        ("leases", _leases),
        ("failed jobs", _failed),
        ("closed scopes", _closed_scopes),
        ("seals", _seals),
        ("embeddings", _embeddings),
    ):
        yield _guarded(name, look, needs=schema)


def _guarded(name: str, look: Callable[[], Finding], needs: Finding | None = None) -> Finding:
    if needs is not None and needs.level in (Level.FAIL, Level.SKIP):
        return Finding(name, Level.SKIP, f"needs {needs.name}")
    try:
        return look()
    except (Error, redis.RedisError) as error:
        state = faults.sqlstate(error)
        detail = f"does not answer ({type(error).__name__}{f' {state}' if state else ''})"
        return Finding(name, Level.FAIL, detail, "check the server and its address")
    except ImproperlyConfigured as error:
        return Finding(name, Level.FAIL, str(error), "correct the settings")


def _database() -> Finding:
    seen = server.look()
    major = seen.version // 10_000
    detail = f"PostgreSQL {major}.{seen.version % 10_000}, vector {seen.vector or 'missing'}"
    if not seen.recent:
        return Finding("database", Level.FAIL, detail, "use PostgreSQL 16 or newer")
    if not seen.vector or not seen.vector_recent:
        return Finding("database", Level.FAIL, detail, "install pgvector 0.8.2 or newer, migrate")
    return Finding("database", Level.OK, detail)


def _role() -> Finding:
    seen = server.look()
    if seen.superuser or seen.exempt:
        return Finding(
            "role",
            Level.FAIL,
            "superuser" if seen.superuser else "passes row-level security",
            "run the app as a role with NOSUPERUSER NOBYPASSRLS",
        )
    return Finding("role", Level.OK, "bound by row-level security")


def _schema() -> Finding:
    loader = MigrationLoader(connection)
    known = {name for label, name in loader.disk_migrations if label == LABEL}
    applied = {name for label, name in loader.applied_migrations if label == LABEL}
    if applied - known:
        return Finding("schema", Level.FAIL, "newer than this code", "run the newer code")
    if missing := sorted(known - applied):
        return Finding("schema", Level.FAIL, f"lacks {', '.join(missing)}", "run migrate")
    return Finding("schema", Level.OK, f"at {max(applied)}")


def _row_security() -> Finding:
    tables = sealed_tables()
    open_ones = [row[0] for row in _run("unsealed", tables=tables)]
    if open_ones:
        return Finding(
            "row security",
            Level.FAIL,
            f"off on {', '.join(open_ones)}",
            "restore the policies of migration 0003_guards",
        )
    return Finding("row security", Level.OK, f"forced on {len(tables)} tables")


def sealed_tables() -> list[str]:
    """Return the tables that hold content and must be under row-level security."""
    models = ScopeRecord._meta.apps.get_app_config(LABEL).get_models()
    return sorted(
        model._meta.db_table
        for model in models
        if isinstance(model._meta.default_manager, ScopedManager)
    )


def _redis() -> Finding:
    client: Any = django_rq.get_connection(conf.settings().jobs.queue)
    version = client.info("server")["redis_version"]
    return Finding("redis", Level.OK, f"answers, version {version}")


def _workers(*, has_tables: bool) -> Finding:
    queue = django_rq.get_queue(conf.settings().jobs.queue)
    client: Any = queue.connection
    left = [client.ttl(key) for key in Worker.all_keys(queue=queue)]
    alive = sum(seconds > _SILENT_TTL for seconds in left)
    silent = sum(0 <= seconds <= _SILENT_TTL for seconds in left)
    detail = f"{alive} alive, {silent} silent"
    if alive:
        level = Level.WARN if silent else Level.OK
        return Finding("workers", level, detail, "look at the silent one's log" if silent else "")
    waits = has_tables and any(tally.waiting_seconds for tally in jobs.tallies())
    step = f"start one: {_WORKER.format(queue=queue.name)}"
    return Finding("workers", Level.FAIL if waits else Level.WARN, detail, step)


def _bells() -> Finding:
    settings = conf.settings().jobs
    waiting = max((tally.waiting_seconds for tally in jobs.tallies()), default=0.0)
    # By then a sweeper must have rung, and an idle worker would have come.
    limit = settings.bell_after_seconds + 2 * settings.sweep_seconds
    if waiting > limit:
        return Finding(
            "bells",
            Level.FAIL,
            f"the oldest due job waits for {waiting:.0f} s",
            "start memorykit_sweep --loop, and workers where there are too few",
        )
    return Finding("bells", Level.OK, f"the oldest due job waits for {waiting:.0f} s")


def _leases() -> Finding:
    stuck = jobs.stuck(seconds=2 * conf.settings().jobs.sweep_seconds)
    if stuck:
        return Finding(
            "leases", Level.FAIL, f"{stuck} ran out unnoticed", "start memorykit_sweep --loop"
        )
    return Finding("leases", Level.OK, "none is stuck")


def _failed() -> Finding:
    count = sum(tally.count for tally in jobs.tallies() if tally.state == JobState.FAILED)
    if count:
        step = "memorykit_jobs list --state failed, then redrive or cancel"
        return Finding("failed jobs", Level.WARN, str(count), step)
    return Finding("failed jobs", Level.OK, "none")


def _closed_scopes() -> Finding:
    left = sum(_coverage(record)[2] > 0 for record in scopes.every(closed=True))
    if left:
        return Finding(
            "closed scopes",
            Level.FAIL,
            f"{left} are closed and not empty",
            "run memorykit_erase --all again: it goes on where it stopped",
        )
    return Finding("closed scopes", Level.OK, "all empty")


def _seals() -> Finding:
    breaks = [
        f"{scope.tenant_id}/{scope.subject_id} at seal {found.number}: {found.reason}"
        for scope, found in seals.broken()
    ]
    if breaks:
        step = "compare with a backup: history was changed past memorykit"
        return Finding("seals", Level.FAIL, "; ".join(breaks), step)
    return Finding("seals", Level.OK, "every chain holds")


def _embeddings() -> Finding:
    active = embedded = 0
    for record in scopes.every():
        in_scope = _coverage(record)
        active, embedded = active + in_scope[0], embedded + in_scope[1]
    share = f"{embedded / active:.1%}" if active else "nothing to embed"
    profile = profiles.serving()
    detail = f"{share}: {embedded} of {active} active memories under {profile}"
    if embedded < active:
        return Finding(
            "embeddings", Level.WARN, detail, "workers embed the rest; see memorykit_queue"
        )
    return Finding("embeddings", Level.OK, detail)


def _coverage(record: ScopeRecord) -> tuple[int, int, int]:
    """Return active, embedded and living memories of one scope."""
    with sealed(record.scope):
        row = _run("coverage", scope=record.pk, profile=profiles.serving())[0]
    return row[0], row[1], row[2]


def _run(name: str, **params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_SQL[name], params)
        return list(cursor.fetchall())
