"""Jobs in an operator's hand: redriven, cancelled, counted, also against who holds them."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from uuid6 import uuid7

from memorykit_app import conf
from memorykit_app.domain.errors import (
    Conflict,
    InvalidMemory,
    LeaseLost,
    MemoryNotFound,
    ScopeClosed,
)
from memorykit_app.models import FailureCode, Job, JobKind, JobState, ScopeRecord
from memorykit_app.services import jobs, leases, scopes
from tests.records import NOW, OPERATOR, OTHER, SCOPE

pytestmark = pytest.mark.django_db
ROUNDS = 25


@pytest.fixture(autouse=True)
def scope_rows(db):
    for scope in (SCOPE, OTHER):
        scopes.ensure(scope, now=NOW)


def pending(kind: JobKind = JobKind.EMBED, scope=SCOPE) -> Job:
    job_id = jobs.enqueue(
        kind=kind, scope_id=scope.id, target_id=uuid7(), profile=conf.settings().serving_profile
    )
    return Job.objects.get(pk=job_id)


def failed() -> Job:
    job = pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)
    leases.fail(held, FailureCode.EMBED_FAILED, recoverable=False)
    job.refresh_from_db()
    return job


def age(job: Job, column: str, seconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE memorykit_job SET {column} = clock_timestamp() - make_interval(secs => %s)"
            " WHERE id = %s",
            [seconds, job.pk],
        )


def test_a_failed_job_is_redriven_with_all_its_attempts():
    job = failed()

    redriven = jobs.redrive(job.pk, by=OPERATOR)

    assert (redriven.state, redriven.attempts, redriven.failure_code) == ("pending", 0, "")
    assert redriven.finished_at is None
    assert [lease.job_id for lease in leases.claim(JobKind.EMBED, limit=5)] == [job.pk]


def test_a_redriven_job_keeps_its_fence():
    job = pending()
    (late,) = leases.claim(JobKind.EMBED, limit=1)
    jobs.cancel(job.pk, by=OPERATOR)

    jobs.redrive(job.pk, by=OPERATOR)
    (holder,) = leases.claim(JobKind.EMBED, limit=1)

    assert holder.token > late.token
    with pytest.raises(LeaseLost), transaction.atomic():
        leases.complete([late], results=1)


def test_redriving_a_pending_job_changes_nothing():
    job = pending()

    assert jobs.redrive(job.pk, by=OPERATOR).updated_at == job.updated_at


def test_a_job_that_is_done_is_neither_redriven_nor_cancelled():
    job = pending()
    leases.complete(leases.claim(JobKind.EMBED, limit=1), results=1)

    for act in (jobs.redrive, jobs.cancel):
        with pytest.raises(Conflict, match="completed"):
            act(job.pk, by=OPERATOR)


def test_work_that_was_asked_for_anew_is_not_redriven_beside_it():
    job = failed()
    jobs.enqueue(
        kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=job.target_id, profile=job.profile
    )

    with pytest.raises(Conflict, match="pending already"):
        jobs.redrive(job.pk, by=OPERATOR)


def test_nothing_is_redriven_in_a_closed_scope():
    job = failed()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)

    with pytest.raises(ScopeClosed):
        jobs.redrive(job.pk, by=OPERATOR)


@pytest.mark.parametrize("act", [jobs.redrive, jobs.cancel])
def test_an_unknown_job_is_told(act):
    with pytest.raises(MemoryNotFound, match="no job"):
        act(uuid7(), by=OPERATOR)


def test_a_cancelled_job_is_never_claimed_and_cancelling_again_changes_nothing():
    job = pending()

    first = jobs.cancel(job.pk, by=OPERATOR)
    again = jobs.cancel(job.pk, by=OPERATOR)

    assert (first.state, again.updated_at) == ("cancelled", first.updated_at)
    assert leases.claim(JobKind.EMBED, limit=5) == []


def test_a_failed_job_can_be_put_away():
    assert jobs.cancel(failed().pk, by=OPERATOR).failure_code == "embed_failed"


def test_who_holds_a_cancelled_job_writes_nothing():
    job = pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)

    jobs.cancel(job.pk, by=OPERATOR)

    with pytest.raises(LeaseLost), transaction.atomic():
        leases.complete([held], results=1)
    with pytest.raises(LeaseLost), transaction.atomic():
        leases.fail(held, FailureCode.EMBED_FAILED, recoverable=True)
    assert leases.rescue() == 0


def test_jobs_are_listed_by_state_kind_and_scope():
    mine, foreign, other_kind = pending(), pending(scope=OTHER), pending(JobKind.EXTRACT)
    done = pending()
    jobs.cancel(done.pk, by=OPERATOR)

    def found(**wanted):
        return {job.pk for job in jobs.listed(limit=10, **wanted)}

    assert found() == {mine.pk, foreign.pk, other_kind.pk, done.pk}
    assert found(state=JobState.CANCELLED) == {done.pk}
    assert found(kind=JobKind.EXTRACT) == {other_kind.pk}
    assert found(scope=OTHER) == {foreign.pk}
    assert len(jobs.listed(limit=1)) == 1


@pytest.mark.parametrize("limit", [0, 10_001, True])
def test_a_list_is_bounded(limit):
    with pytest.raises(InvalidMemory, match="limit"):
        jobs.listed(limit=limit)


def test_tallies_count_by_kind_and_state_and_tell_who_waits_longest():
    oldest = pending()
    pending()
    pending(JobKind.EXTRACT, OTHER)
    age(oldest, "due_at", 90)

    found = {(row.kind, row.state): row for row in jobs.tallies()}

    assert {name: row.count for name, row in found.items()} == {
        ("embed", "pending"): 2,
        ("extract", "pending"): 1,
    }
    assert 90 <= found["embed", "pending"].waiting_seconds < 120
    assert [row.kind for row in jobs.tallies(OTHER)] == ["extract"]


def test_a_lease_that_nobody_gave_back_is_counted_as_stuck():
    job = pending()
    leases.claim(JobKind.EMBED, limit=1)
    age(job, "lease_until", 60)

    assert (jobs.stuck(seconds=30), jobs.stuck(seconds=90)) == (1, 0)


def race(*acts) -> list:
    """Run acts at the same moment; return what each answered or raised."""
    start = threading.Barrier(len(acts))
    answers: list = [None] * len(acts)

    def run(number, act):
        start.wait()
        try:
            answers[number] = act()
        except (Conflict, LeaseLost) as error:
            answers[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def completed(held) -> str:
    with transaction.atomic():
        leases.complete([held], results=1)
    return "completed"


@pytest.mark.django_db(transaction=True)
def test_a_cancel_and_a_completion_have_one_winner():
    for _ in range(ROUNDS):
        job = pending()
        (held,) = leases.claim(JobKind.EMBED, limit=1)

        done, _ = race(
            lambda held=held: completed(held), lambda job=job: jobs.cancel(job.pk, by=OPERATOR)
        )

        job.refresh_from_db()
        assert job.state == ("completed" if done == "completed" else "cancelled")


@pytest.mark.django_db(transaction=True)
def test_a_cancel_during_a_rescue_holds():
    for _ in range(ROUNDS):
        job = pending()
        leases.claim(JobKind.EMBED, limit=1)
        age(job, "lease_until", 1)

        race(leases.rescue, lambda job=job: jobs.cancel(job.pk, by=OPERATOR))

        job.refresh_from_db()
        assert job.state == "cancelled"
        assert leases.claim(JobKind.EMBED, limit=5) == []


@pytest.mark.django_db(transaction=True)
def test_a_redrive_and_a_new_request_leave_one_pending_job():
    for _ in range(ROUNDS):
        job = failed()

        race(
            lambda job=job: jobs.redrive(job.pk, by=OPERATOR),
            lambda job=job: jobs.enqueue(
                kind=JobKind.EMBED,
                scope_id=SCOPE.id,
                target_id=job.target_id,
                profile=job.profile,
            ),
        )

        same = Job.objects.filter(target_id=job.target_id, state="pending")
        assert same.count() == 1
        jobs.cancel(same.get().pk, by=OPERATOR)
