"""The sweeper as it runs: once, or for ever through outages until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import timedelta

import django_rq
import psycopg
import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from uuid6 import uuid7

from memorykit_app.domain.errors import Unavailable
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Job, JobKind, JobState, ScopeRecord
from memorykit_app.services import jobs, leases, scopes, sweep
from memorykit_app.services.sweep import Swept
from tests.commands import answer, refusal, said
from tests.records import NOW, SCOPE, fresh, history, memory
from tests.workers import ROOT, wait_for

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(days=100)
QUICK = 5.0


@pytest.fixture(autouse=True)
def redis():
    client = django_rq.get_connection("memorykit")
    client.flushdb()
    yield client
    client.flushdb()


def expired_lease() -> Job:
    scopes.ensure(SCOPE, now=NOW)
    job_id = jobs.enqueue(kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=uuid7(), profile="p")
    leases.claim(JobKind.EMBED, limit=10)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memorykit_job SET lease_until = clock_timestamp() - interval '1 second'"
        )
    return Job.objects.get(pk=job_id)


def test_one_sweep_tells_what_it_did():
    job, candidate = expired_lease(), memory(now=LONG_AGO)

    done = answer("memorykit_sweep")
    printed = said("memorykit_sweep")

    job.refresh_from_db()
    assert (done["rescued"], done["rang"], done["expired"]) == (1, True, 1)
    assert job.state == JobState.PENDING
    assert fresh(candidate).state == "inactive"
    assert printed.startswith("leases given back 0, bell ")
    assert done["seals"] == len(history(candidate))


def test_a_dry_run_changes_nothing():
    job, candidate = expired_lease(), memory(now=LONG_AGO)

    done = answer("memorykit_sweep", "--dry-run")

    job.refresh_from_db()
    assert (done["expired"], job.state) == (1, JobState.LEASED)
    assert fresh(candidate).state == "candidate"


def test_a_loop_has_no_dry_run():
    assert refusal("memorykit_sweep", "--loop", "--dry-run")[0] == 2


@pytest.mark.django_db(transaction=True)
def test_a_second_sweeper_leaves():
    taken, done = threading.Event(), threading.Event()

    def hold():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [sweep._LOCK])
            taken.set()
            done.wait(30)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(30)

    code, sentence = refusal("memorykit_sweep")
    done.set()
    thread.join()

    assert (code, sentence) == (5, "another sweeper is at work")


def test_a_sweep_that_is_told_to_stop_leaves_the_rest():
    memory(now=LONG_AGO)

    assert sweep.sweep(now=timezone.now(), stopping=lambda: True).expired == 0
    assert sweep.sweep(now=timezone.now()).expired == 1


def test_scopes_are_read_in_pages():
    made = [Scope.project("acme", f"p{number}") for number in range(5)]
    for scope in made:
        scopes.ensure(scope, now=NOW)
    ScopeRecord.objects.filter(pk=made[0].id).update(closed_at=NOW)

    assert [record.pk for record in scopes.every(batch=2)] == sorted(s.id for s in made[1:])
    assert [record.pk for record in scopes.every(closed=True)] == [made[0].id]


@pytest.mark.parametrize("error", [OperationalError, psycopg.OperationalError, Unavailable])
def test_a_loop_goes_on_after_an_outage_and_ends_on_a_signal(monkeypatch, settings, error):
    settings.MEMORYKIT = settings.MEMORYKIT | {"JOBS": {"SWEEP_SECONDS": 1}}
    rounds = iter([error("secret"), Swept(skipped=True), Swept(), Swept(rescued=2)])
    before = signal.getsignal(signal.SIGTERM)

    def scripted(*, now, stopping):
        found = next(rounds)
        if isinstance(found, Swept) and found.rescued:
            os.kill(os.getpid(), signal.SIGTERM)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(sweep, "sweep", scripted)
    # The test's own connection must live on.
    monkeypatch.setattr(connection, "close", lambda: None)

    printed = said("memorykit_sweep", "--loop")

    assert printed.splitlines() == [
        "leases given back 2, bell silent, candidates expired 0, transcripts deleted 0,"
        " receipts deleted 0, revisions sealed 0"
    ]
    assert signal.getsignal(signal.SIGTERM) is before


@contextmanager
def sweeper(environment, log):
    with log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "memorykit_sweep", "--loop", "--json"],
            cwd=ROOT,
            env=environment | {"DJANGO_SETTINGS_MODULE": "tests.settings_sweeper"},
            stdout=out,
            stderr=out,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@pytest.mark.django_db(transaction=True)
def test_the_process_rescues_without_redis_and_ends_quickly(process_environment, tmp_path):
    job = expired_lease()
    log = tmp_path / "log"
    away = process_environment | {"REDIS_URL": "redis://127.0.0.1:1/0"}

    with sweeper(away, log) as process:
        wait_for(lambda: stopped(process, log) or is_pending(job))
        process.terminate()
        began = time.monotonic()
        status = process.wait(timeout=30)

    assert status == 0
    assert time.monotonic() - began < QUICK
    assert json.loads(log.read_text().splitlines()[-1])["rescued"] == 1


@pytest.mark.django_db(transaction=True)
def test_the_process_survives_a_database_that_goes_away(process_environment, tmp_path):
    scopes.ensure(SCOPE, now=NOW)
    log = tmp_path / "log"
    name = connection.settings_dict["NAME"]

    with sweeper(process_environment, log) as process:
        wait_for(lambda: stopped(process, log) or sessions(name) > 0)
        cut(name)
        job = expired_lease()
        wait_for(lambda: stopped(process, log) or is_pending(job))
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=30)

    assert status == 0


def stopped(process, log) -> bool:
    assert process.poll() is None, log.read_text()
    return False


def is_pending(job: Job) -> bool:
    return Job.objects.get(pk=job.pk).state == JobState.PENDING


def sessions(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = %s AND pid <> pg_backend_pid() AND query LIKE '%%memorykit%%'",
            [name],
        )
        return cursor.fetchone()[0]


def cut(name: str) -> None:
    """Have the server end everybody else's connection, as a restart would."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND pid <> pg_backend_pid()",
            [name],
        )
