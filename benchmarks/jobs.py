"""What background work costs: no-op jobs beside procrastinate, the start after a commit, a rebuild.

Both sides have one worker process, the same PostgreSQL and the same number of jobs, and are
timed by the database's clock from the first job done to the last.
"""

# The servers start with the settings, and the settings before Django.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bench_settings"

import django

django.setup()

import procrastinate
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from tqdm import tqdm
from uuid6 import uuid7

from benchmarks import rebuild
from benchmarks.bench_settings import PROFILE
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Job, JobKind, JobState
from memorykit_app.services import jobs, profiles, scopes

GOALS = {"times_procrastinate": 2.0, "rebuild_overhead": 0.15, "start_delay_p95_s": 0.5}
WORKER = [
    *(sys.executable, "manage.py", "rqworker", "memorykit"),
    *("--worker-class", "memorykit_app.tasks.MemorykitWorker"),
    *("--serializer", "rq.serializers.JSONSerializer", "--worker-ttl", "10"),
]
SCOPE = Scope.project("bench", "jobs")
rival = procrastinate.App(connector=procrastinate.PsycopgConnector())


@rival.task(queue="bench", name="nothing")
async def nothing() -> None:
    """Do nothing, as the jobs of the other side do: their record is gone."""


def main() -> None:
    options = _options()
    call_command("migrate", verbosity=0)
    scopes.ensure(SCOPE, now=_now())
    profiles.ensure(PROFILE)
    with tqdm(total=4, disable=None, unit="part") as bar:
        ours = [_ours(options.jobs) for _ in range(options.repeat)]
        bar.update()
        theirs = [
            max(_theirs(options.jobs, concurrency) for concurrency in (1, 10))
            for _ in range(options.repeat)
        ]
        bar.update()
        delays = sorted(_delays(options.starts))
        bar.update()
        built = rebuild.measure(options.records)
        bar.update()
    figures = {
        "jobs": options.jobs,
        "jobs_per_second": round(statistics.median(ours)),
        "procrastinate_jobs_per_second": round(statistics.median(theirs)),
        "times_procrastinate": round(statistics.median(ours) / statistics.median(theirs), 2),
        "start_delay_p50_s": round(statistics.median(delays), 3),
        "start_delay_p95_s": round(delays[int(len(delays) * 0.95)], 3),
        "rebuild_overhead": built["overhead"],
        "rebuild": built,
    }
    met = (
        figures["times_procrastinate"] >= GOALS["times_procrastinate"]
        and figures["rebuild_overhead"] <= GOALS["rebuild_overhead"]
        and figures["start_delay_p95_s"] <= GOALS["start_delay_p95_s"]
    )
    print(_table(figures))
    versions = {name: version(name) for name in ("procrastinate", "rq", "psycopg", "django")}
    machine = {"cores": os.cpu_count(), "python": platform.python_version()}
    print(
        json.dumps(
            {
                "bench": "jobs",
                "figures": figures,
                "goals": GOALS,
                "met": met,
                "versions": versions,
                "machine": machine,
            }
        )
    )


def _now() -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def _ours(count: int) -> float:
    """Return jobs per second of one worker; each leases, finds its record gone, and completes."""
    Job.objects.all().delete()
    with transaction.atomic():
        for _ in range(count):
            jobs.enqueue(kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=uuid7(), profile=PROFILE)
    with _worker():
        _until(lambda: not Job.objects.exclude(state=JobState.COMPLETED.value).exists())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM max(finished_at) - min(finished_at))::float8"
            " FROM memorykit_job"
        )
        return count / float(cursor.fetchone()[0])


def _theirs(count: int, concurrency: int) -> float:
    """Return jobs per second of one procrastinate worker."""
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS rival CASCADE")
        cursor.execute("CREATE SCHEMA rival")
    asyncio.run(_rival(count, concurrency))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), extract(epoch FROM max(at) - min(at))::float8"
            " FROM rival.procrastinate_events WHERE type = 'succeeded'"
        )
        done, seconds = cursor.fetchone()
    assert done == count, f"procrastinate did {done} of {count} jobs"
    return count / float(seconds)


async def _rival(count: int, concurrency: int) -> None:
    database = settings.DATABASES["default"]
    connector = procrastinate.PsycopgConnector(
        conninfo="",
        kwargs={
            "host": database["HOST"],
            "port": database["PORT"],
            "user": database["USER"],
            "password": database["PASSWORD"],
            "dbname": connection.settings_dict["NAME"],
            "options": "-c search_path=rival",
        },
    )
    with rival.replace_connector(connector) as app:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            await nothing.batch_defer_async(*({} for _ in range(count)))
            await app.run_worker_async(
                queues=["bench"],
                concurrency=concurrency,
                wait=False,
                install_signal_handlers=False,
            )


def _delays(count: int) -> list[float]:
    """Return, for single jobs, the seconds from being written to being done by a waiting worker."""
    Job.objects.all().delete()
    with _worker():
        _single()
        _until(lambda: not Job.objects.exclude(state=JobState.COMPLETED.value).exists())
        Job.objects.all().delete()
        for _ in range(count):
            _single()
            time.sleep(0.1)
        _until(lambda: not Job.objects.exclude(state=JobState.COMPLETED.value).exists())
    return [
        (job.finished_at - job.created_at).total_seconds()
        for job in Job.objects.all()
        if job.finished_at is not None
    ]


def _single() -> None:
    with transaction.atomic():
        jobs.enqueue(kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=uuid7(), profile=PROFILE)


@contextmanager
def _worker() -> Any:
    database = settings.DATABASES["default"]
    place = f"{database['HOST']}:{database['PORT']}/{connection.settings_dict['NAME']}"
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgresql://{database['USER']}:{database['PASSWORD']}@{place}",
        "REDIS_URL": settings.REDIS_URL,
    }
    process = subprocess.Popen(
        WORKER, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def _until(happened: Any, seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > until:
            raise SystemExit("bench-jobs: the worker did not get done in time")
        time.sleep(0.05)


def _table(figures: dict[str, Any]) -> str:
    return "\n".join(
        (
            f"{figures['jobs']:,} no-op jobs, one worker process each",
            f"  memorykit       {figures['jobs_per_second']:>8,} jobs/s",
            f"  procrastinate   {figures['procrastinate_jobs_per_second']:>8,} jobs/s",
            f"  ratio           {figures['times_procrastinate']:>8} (goal: at least 2)",
            "A single job, from its commit to done by a waiting worker",
            f"  p50 {figures['start_delay_p50_s']} s, p95 {figures['start_delay_p95_s']} s"
            " (goal: at most 0.5)",
            rebuild.table(figures["rebuild"]),
        )
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-jobs", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2_000, help="no-op jobs (2000)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each side (3)")
    parser.add_argument("--starts", type=int, default=100, help="single jobs (100)")
    parser.add_argument("--records", type=int, default=10_000, help="records to rebuild (10000)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
