"""The worker as it runs: killed, paused, robbed of Redis; nothing is lost and nothing doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime

import django_rq
import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Sum
from django.test import override_settings
from rq.serializers import DefaultSerializer, JSONSerializer

from memorykit_app.models import Embedding, Job, JobState, Memory, sealed
from memorykit_app.services import memories, sweep, transcripts
from tests import settings_worker
from tests.records import AUTHOR, SCOPE, asked
from tests.workers import WorkerProcess, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
#: `make soak` asks for more.
KILLS = int(os.environ.get("MEMORYKIT_KILLS", "10"))


@pytest.fixture(autouse=True)
def same_settings():
    with override_settings(MEMORYKIT=settings_worker.MEMORYKIT):
        yield


@pytest.fixture(autouse=True)
def redis():
    client = django_rq.get_connection("memorykit")
    client.flushdb()
    yield client
    client.flushdb()


@pytest.fixture
def environment(process_environment):
    return {**process_environment, "DJANGO_SETTINGS_MODULE": "tests.settings_worker"}


@pytest.fixture
def worker(environment, tmp_path):
    worker = WorkerProcess(environment, tmp_path / "worker.log")
    yield worker
    worker.kill()


def submit(number: int) -> None:
    turns = [
        {"role": "user", "content": f"Machine {number} stands in hall {number + 1}."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": f"Machine {number} is called M{number}."},
    ]
    transcripts.submit(json.dumps(turns).encode(), scope=SCOPE, by=AUTHOR, now=datetime.now(UTC))


def states() -> list[str]:
    return list(Job.objects.order_by("state").values_list("state", flat=True).distinct())


def finished() -> bool:
    """Sweep as the sweeper would, then tell whether all work is done."""
    sweep.sweep(now=datetime.now(UTC))
    return states() == [JobState.COMPLETED.value]


def leased() -> bool:
    return Job.objects.filter(state=JobState.LEASED.value).exists()


def claimed_since(attempts_before: int):
    """Return a look for a claim after that; each look sweeps, as the sweeper would."""

    def look() -> bool:
        sweep.sweep(now=datetime.now(UTC))
        return attempts() > attempts_before

    return look


def held_by(pids: list[int]) -> bool:
    """Tell whether one of these processes, now dead, holds a lease."""
    owners = Job.objects.filter(state=JobState.LEASED.value).values_list("lease_owner", flat=True)
    return any(owner.endswith(f":{pid}") for owner in owners for pid in pids)


def open_jobs() -> int:
    return Job.objects.exclude(state=JobState.COMPLETED.value).count()


def attempts() -> int:
    """Count the claims there ever were: one for each job, and one more for each lost lease."""
    return Job.objects.aggregate(total=Sum("attempts"))["total"]


def contents() -> list[str]:
    with sealed(SCOPE):
        rows = Memory.objects.in_scope(SCOPE)
        return sorted(rows.values_list("content", flat=True))


def expected(transcripts: int) -> list[str]:
    return sorted(
        line
        for number in range(transcripts)
        for line in (
            f"Machine {number} stands in hall {number + 1}.",
            f"Machine {number} is called M{number}.",
        )
    )


def test_a_transcript_becomes_candidates_and_an_active_one_gets_its_vector(worker):
    worker.start()
    submit(0)
    wait_for(finished)

    with sealed(SCOPE):
        record = Memory.objects.in_scope(SCOPE).get(key="turn.0")
    memories.activate(record.pk, asked(record.version))
    wait_for(finished)

    with sealed(SCOPE):
        vector = Embedding.objects.in_scope(SCOPE).get(memory_id=record.pk)
    assert vector.profile_id == settings.MEMORYKIT["SERVING_PROFILE"]
    assert contents() == expected(1)


def test_a_killed_worker_loses_nothing_and_doubles_nothing(worker):
    chance = random.Random(7)
    handed_in = hits = 0
    for _ in range(KILLS):
        # Enough that a new worker finds work while the leases of the dead still run.
        while open_jobs() < 5:
            submit(handed_in)
            handed_in += 1
        before = attempts()
        worker.start()
        wait_for(claimed_since(before), every=0.02)
        time.sleep(chance.uniform(0, 0.3))
        worker.kill()
        hits += held_by(worker.killed)

    worker.start()
    wait_for(finished, seconds=60)

    told = (
        f"kills {KILLS}, of a lease holder {hits}, transcripts {handed_in}, candidates "
        f"{len(contents())} of {2 * handed_in}, attempts {attempts()}"
    )
    sys.stdout.write(f"\n{told}\n")
    assert hits >= 0.8 * KILLS, told
    assert contents() == expected(handed_in), told
    assert Job.objects.count() == handed_in
    assert attempts() == handed_in + hits, told


def test_a_paused_worker_that_wakes_up_writes_nothing(worker, environment, tmp_path):
    submit(0)
    worker.start()
    wait_for(leased, every=0.01)
    worker.signal(signal.SIGSTOP)
    held = Job.objects.get()

    other = WorkerProcess(environment, tmp_path / "other.log")
    try:
        time.sleep(settings.MEMORYKIT["JOBS"]["LEASE_SECONDS"] + 0.5)
        other.start()
        wait_for(finished)
        done = Job.objects.get()
        worker.signal(signal.SIGCONT)
        submit(1)
        wait_for(finished)
    finally:
        other.kill()

    assert done.lease_token > held.lease_token
    assert contents() == expected(2)
    assert Job.objects.get(pk=done.pk).updated_at == done.updated_at


def test_a_flushed_redis_loses_no_work(worker, redis):
    for number in range(3):
        submit(number)
    redis.flushall()

    worker.start()
    wait_for(finished)

    assert contents() == expected(3)


@pytest.mark.parametrize("serializer", [JSONSerializer, DefaultSerializer])
def test_a_task_that_is_not_ours_is_refused(worker, redis, serializer, tmp_path):
    planted = tmp_path / "planted"
    queue = django_rq.get_queue("memorykit", serializer=serializer)
    queue.enqueue("subprocess.call", ["touch", str(planted)])
    submit(0)

    worker.start()
    wait_for(finished)

    assert not planted.exists()
    assert worker.alive()


def test_redis_holds_no_content(worker, redis):
    submit(0)
    worker.start()
    wait_for(finished)

    held = b"".join(dump(redis, key) for key in redis.scan_iter())
    assert held
    assert b"Machine" not in held
    assert str(Job.objects.get().pk).encode() not in held


def dump(redis, key: bytes) -> bytes:
    return key + b"\n" + (redis.dump(key) or b"")


def test_a_worker_that_is_asked_to_end_does_so(worker):
    worker.start()
    submit(0)
    wait_for(finished)

    assert worker.stop() == 0
    connection.ensure_connection()
