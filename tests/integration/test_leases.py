"""Leases: one holder at a time, a fence against late ones, and a way back after every failure."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from uuid6 import uuid7

from memorykit_app import conf
from memorykit_app.domain.errors import LeaseLost
from memorykit_app.models import FailureCode, Job, JobKind, JobState
from memorykit_app.services import bell, drain, jobs, leases, scopes, sweep
from tests.records import NOW, SCOPE

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def scope_row(db):
    return scopes.ensure(SCOPE, now=NOW)


def pending(kind: JobKind = JobKind.EMBED, **changes) -> Job:
    job_id = jobs.enqueue(
        kind=kind, scope_id=SCOPE.id, target_id=uuid7(), profile=conf.settings().serving_profile
    )
    Job.objects.filter(pk=job_id).update(**changes)
    return Job.objects.get(pk=job_id)


def expire_lease(job: Job) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memorykit_job SET lease_until = clock_timestamp() - interval '1 second'"
            " WHERE id = %s",
            [job.pk],
        )


def state_of(job: Job) -> str:
    job.refresh_from_db()
    return job.state


def test_a_claim_takes_the_oldest_due_jobs_of_its_kind_once():
    first, second = pending(), pending()
    pending(JobKind.EXTRACT)

    held = leases.claim(JobKind.EMBED, limit=1)
    rest = leases.claim(JobKind.EMBED, limit=10)

    assert [lease.job_id for lease in held] == [first.pk]
    assert [lease.job_id for lease in rest] == [second.pk]
    assert leases.claim(JobKind.EMBED, limit=10) == []
    assert held[0].scope == SCOPE
    assert held[0].attempts == 1


def test_a_job_that_waits_is_not_claimed_yet():
    job = pending()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memorykit_job SET due_at = clock_timestamp() + interval '1 hour'")

    assert leases.claim(JobKind.EMBED, limit=1) == []
    assert state_of(job) == JobState.PENDING


def test_asking_twice_for_the_same_work_makes_one_job():
    target = uuid7()
    for _ in range(2):
        jobs.enqueue(kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=target, profile="p")

    assert Job.objects.filter(target_id=target).count() == 1


def test_work_asked_for_while_it_is_done_is_done_again():
    job = pending()
    leases.claim(JobKind.EMBED, limit=1)

    jobs.enqueue(
        kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=job.target_id, profile=job.profile
    )

    assert Job.objects.filter(target_id=job.target_id).count() == 2


def test_a_late_holder_writes_nothing():
    job = pending()
    (late,) = leases.claim(JobKind.EMBED, limit=1)
    expire_lease(job)
    assert leases.rescue() == 1
    (holder,) = leases.claim(JobKind.EMBED, limit=1)

    with pytest.raises(LeaseLost), transaction.atomic():
        leases.complete([late], results=1)
    with pytest.raises(LeaseLost), transaction.atomic():
        leases.fail(late, FailureCode.EMBED_FAILED, recoverable=True)
    leases.complete([holder], results=3)

    assert state_of(job) == JobState.COMPLETED
    assert (job.result_count, job.lease_owner, job.lease_until) == (3, "", None)


def test_a_lease_that_ran_out_is_not_completed_even_when_nobody_took_it():
    job = pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)
    expire_lease(job)

    with pytest.raises(LeaseLost), transaction.atomic():
        leases.complete([held], results=1)

    assert state_of(job) == JobState.LEASED


def test_one_lost_lease_in_a_batch_rolls_the_batch_back():
    first, second = pending(), pending()
    held = leases.claim(JobKind.EMBED, limit=2)
    expire_lease(second)

    with pytest.raises(LeaseLost), transaction.atomic():
        leases.complete(held, results=1)

    assert state_of(first) == JobState.LEASED


def test_a_recoverable_failure_waits_and_a_permanent_one_ends():
    waiting, ended = pending(), pending()
    held = {lease.job_id: lease for lease in leases.claim(JobKind.EMBED, limit=2)}

    assert leases.fail(held[waiting.pk], FailureCode.EMBED_FAILED, recoverable=True) == "pending"
    assert leases.fail(held[ended.pk], FailureCode.EMBED_FAILED, recoverable=False) == "failed"

    waiting.refresh_from_db()
    ended.refresh_from_db()
    assert waiting.due_at >= waiting.updated_at
    assert waiting.failure_code == ended.failure_code == "embed_failed"
    assert ended.finished_at is not None


def test_attempts_are_bounded():
    job = pending(attempts=4)
    (held,) = leases.claim(JobKind.EMBED, limit=1)

    assert leases.fail(held, FailureCode.EMBED_FAILED, recoverable=True) == "failed"
    assert state_of(job) == JobState.FAILED


def test_the_last_lease_that_runs_out_ends_the_job():
    job = pending(attempts=4)
    leases.claim(JobKind.EMBED, limit=1)
    expire_lease(job)

    leases.rescue()

    assert state_of(job) == JobState.FAILED
    assert job.failure_code == "lease_exhausted"


@pytest.mark.parametrize("way", ["fail", "rescue"])
def test_a_job_that_was_asked_for_anew_is_not_kept_twice(way):
    job = pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)
    jobs.enqueue(
        kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=job.target_id, profile=job.profile
    )

    if way == "fail":
        leases.fail(held, FailureCode.EMBED_FAILED, recoverable=True)
    else:
        expire_lease(job)
        leases.rescue()

    assert state_of(job) == JobState.CANCELLED
    assert Job.objects.filter(target_id=job.target_id, state="pending").count() == 1


@pytest.mark.parametrize("attempts", [1, 5, 30, 500])
def test_the_wait_is_jittered_and_capped(attempts):
    retry = conf.settings().jobs.retry
    waits = [leases.backoff(attempts) for _ in range(200)]

    assert 0 <= min(waits) <= max(waits) <= min(retry.cap, retry.base * 2**attempts)
    assert len(set(waits)) > 100


@pytest.mark.django_db(transaction=True)
def test_sixteen_workers_claim_each_job_once():
    made = {pending().pk for _ in range(40)}
    start = threading.Barrier(16)
    taken: list = []

    def work():
        start.wait()
        while held := leases.claim(JobKind.EMBED, limit=3):
            taken.extend(lease.job_id for lease in held)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(taken) == len(made)
    assert set(taken) == made


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_keeps_the_lease(settings):
    settings.MEMORYKIT = settings.MEMORYKIT | {"JOBS": {"LEASE_SECONDS": 1}}
    job = pending()
    held = leases.claim(JobKind.EMBED, limit=1)
    before = Job.objects.get(pk=job.pk).lease_until
    beaten = threading.Event()

    with leases.heartbeat(held):
        for _ in range(40):
            beaten.wait(0.05)
            if Job.objects.get(pk=job.pk).lease_until > before:
                break
        else:
            pytest.fail("no heartbeat within two seconds")
    leases.complete(held, results=0)

    assert state_of(job) == JobState.COMPLETED


def test_the_bell_rings_once_until_it_is_answered():
    queue = bell.django_rq.get_queue(conf.settings().jobs.queue)
    queue.connection.flushdb()

    for _ in range(3):
        assert bell.ring()
    assert queue.count == 1
    bell.answer()
    assert bell.ring()

    assert queue.count == 2
    job = queue.jobs[0]
    assert (list(job.args), job.kwargs, job.func_name) == ([], {}, bell.TASK)


def test_without_redis_work_is_accepted_and_done(monkeypatch, settings):
    def away(_, **kwargs):
        raise bell.redis.ConnectionError

    monkeypatch.setattr(bell.django_rq, "get_queue", away)
    job = pending()

    assert not bell.ring()
    assert drain.drain() == 1
    assert state_of(job) == JobState.COMPLETED


def test_a_sweep_rescues_rings_and_tells(settings):
    queue = bell.django_rq.get_queue(conf.settings().jobs.queue)
    queue.connection.flushdb()
    stuck, late = pending(), pending(JobKind.EXTRACT)
    leases.claim(JobKind.EMBED, limit=1)
    expire_lease(stuck)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memorykit_job SET due_at = clock_timestamp() - interval '1 minute'"
            " WHERE id = %s",
            [late.pk],
        )

    swept = sweep.sweep(now=NOW)

    assert (swept.rescued, swept.rang) == (1, True)
    assert queue.count == 1
    assert state_of(stuck) == JobState.PENDING


def test_a_part_that_names_a_wait_gets_at_least_that():
    pending()
    (lease,) = leases.claim(JobKind.EMBED, limit=1)

    leases.fail(lease, FailureCode.EMBED_FAILED, recoverable=True, retry_after=1_000)

    job = Job.objects.get()
    assert job.due_at - job.updated_at > timedelta(seconds=999)
