"""Queue and jobs from the command line: counted, listed, redriven, cancelled."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from uuid6 import uuid7

from memorykit_app.models import FailureCode, Job, JobKind
from memorykit_app.services import jobs, leases, scopes
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.records import NOW, OTHER, SCOPE, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def scope_rows(db):
    for scope in (SCOPE, OTHER):
        scopes.ensure(scope, now=NOW)


def pending(scope=SCOPE, kind=JobKind.EMBED) -> Job:
    return Job.objects.get(
        pk=jobs.enqueue(kind=kind, scope_id=scope.id, target_id=uuid7(), profile="p")
    )


def failed() -> Job:
    job = pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)
    leases.fail(held, FailureCode.EMBED_FAILED, recoverable=False)
    return job


def test_the_queue_counts_by_kind_and_state():
    failed()
    job = pending()
    Job.objects.filter(pk=job.pk).update(due_at=datetime(2020, 1, 1, tzinfo=UTC))
    pending(OTHER, JobKind.EXTRACT)

    counted = answer("memorykit_queue")
    printed = said("memorykit_queue")

    assert {(row["kind"], row["state"]): row["count"] for row in counted["jobs"]} == {
        ("embed", "failed"): 1,
        ("embed", "pending"): 1,
        ("extract", "pending"): 1,
    }
    assert "candidates" not in counted
    assert " s" in next(
        line for line in printed.splitlines() if "embed" in line and "pending" in line
    )


def test_the_queue_of_a_project_counts_its_candidates():
    memory(now=datetime(2020, 1, 1, tzinfo=UTC))
    pending(OTHER)

    counted = answer("memorykit_queue", *SCOPE_ARGUMENTS)

    assert counted["jobs"] == []
    assert counted["candidates"]["count"] == 1
    assert counted["candidates"]["oldest_days"] > 300
    assert "waiting for review: 1, the oldest" in said("memorykit_queue", *SCOPE_ARGUMENTS)


def test_an_empty_queue_says_so():
    printed = said("memorykit_queue", "--tenant=acme", "--project=none")

    assert printed == "no jobs\ncandidates waiting for review: 0\n"


def test_jobs_are_listed_and_narrowed():
    broken, waiting, foreign = failed(), pending(), pending(OTHER)
    leases.claim(JobKind.EMBED, limit=1)

    def ids(*arguments):
        return {row["id"] for row in answer("memorykit_jobs", "list", *arguments)}

    assert ids() == {str(job.pk) for job in (broken, waiting, foreign)}
    assert ids("--state=failed") == {str(broken.pk)}
    assert ids("--kind=extract") == set()
    assert ids("--tenant=acme", "--project=blue") == {str(foreign.pk)}
    assert len(ids("--limit=1")) == 1
    printed = said("memorykit_jobs", "list")
    assert "embed_failed" in printed
    assert leases.owner() in printed
    assert said("memorykit_jobs", "list", "--kind=extract") == "no jobs\n"


def test_a_job_is_redriven_and_cancelled():
    job = failed()

    assert f"{job.pk}: pending" in said("memorykit_jobs", "redrive", job.pk)
    assert answer("memorykit_jobs", "cancel", job.pk)["jobs"][0]["state"] == "cancelled"


def test_all_failed_jobs_are_redriven_together():
    broken = {str(failed().pk) for _ in range(3)}
    pending()

    done = answer("memorykit_jobs", "redrive", "--all-failed")

    assert {row["id"] for row in done["jobs"]} == broken
    assert said("memorykit_jobs", "redrive", "--all-failed") == "no jobs\n"


@pytest.mark.parametrize("verb", ["redrive", "cancel"])
def test_a_dry_run_names_the_jobs_and_changes_none(verb):
    job = failed()

    printed = said("memorykit_jobs", verb, job.pk, "--dry-run")

    job.refresh_from_db()
    assert printed == f"would {verb} {job.pk}\n"
    assert job.state == "failed"


def test_a_dry_run_without_failed_jobs_says_so():
    assert said("memorykit_jobs", "redrive", "--all-failed", "--dry-run") == "no jobs\n"


def test_what_is_refused_is_named_and_the_rest_is_done():
    job, unknown = failed(), uuid7()

    code, sentence = refusal("memorykit_jobs", "redrive", job.pk, unknown)

    job.refresh_from_db()
    assert (code, sentence) == (4, "1 of 2 jobs were refused")
    assert job.state == "pending"


def test_nothing_done_is_a_failure():
    assert refusal("memorykit_jobs", "cancel", uuid7())[0] == 1
    assert refusal("memorykit_jobs", "cancel") == (2, "name at least one job")
