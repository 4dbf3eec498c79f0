"""Extract from the command line: the same job as by HTTP, waited for or not."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time

import django_rq
import pytest
from django.db import connection

from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.errors import BackendError, MemoryNotFound
from memorykit_app.domain.states import Kind
from memorykit_app.models import Job, Memory, Transcript, sealed
from memorykit_app.services import drain, erasure, extraction_outcome, jobs
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.doubles import extractor
from tests.records import OPERATOR, OTHER, SCOPE, asked
from tests.workers import ROOT, WorkerProcess

pytestmark = pytest.mark.django_db
WORDS = "We moved the office to Lisbon."


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "run.jsonl"
    turns = [{"role": "user", "content": WORDS}, {"role": "assistant", "content": "Noted."}]
    path.write_text("\n".join(map(json.dumps, turns)))
    return path


def one_fact(messages, **_):
    return [
        ExtractedDraft(
            kind=Kind.FACT,
            key="office.city",
            content="The office is in Lisbon.",
            quote="Lisbon",
            message_index=0,
            flags=("doubtful",),
        )
    ]


def broken(messages, **_):
    raise BackendError("extract", recoverable=False)


@pytest.fixture
def work():
    """Drain in a thread until the test ends, as a worker would."""
    stop = threading.Event()

    def run():
        while not stop.is_set():
            drain.drain()
            stop.wait(0.05)
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    yield
    stop.set()
    thread.join()


def stored() -> list[Memory]:
    with sealed(SCOPE):
        return list(Memory.objects.in_scope(SCOPE))


def test_a_transcript_becomes_a_job(transcript):
    taken = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS)
    again = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS)

    job = Job.objects.get()
    assert taken == {
        "job_id": str(job.pk),
        "state": "pending",
        "message_count": 2,
        "replayed": False,
    }
    assert (again["job_id"], again["replayed"]) == (str(job.pk), True)
    assert "handed in before" in said("memorykit_extract", transcript, *SCOPE_ARGUMENTS)


def test_the_same_words_of_another_run_are_another_job(transcript):
    for run in ("1", "2"):
        said("memorykit_extract", transcript, *SCOPE_ARGUMENTS, f"--run-id={run}")

    assert Job.objects.count() == 2


def test_standard_input_will_do(transcript, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(transcript.read_bytes())))

    assert answer("memorykit_extract", "-", *SCOPE_ARGUMENTS)["message_count"] == 2


def test_a_dry_run_shows_drafts_and_stores_nothing(transcript):
    with extractor(one_fact):
        shown = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--dry-run")
        printed = said("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--dry-run")

    assert [draft["key"] for draft in shown["drafts"]] == ["office.city"]
    assert "fact office.city [doubtful]" in printed
    assert "message 0: Lisbon" in printed
    assert not Job.objects.exists()
    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()


def test_an_extractor_that_fails_is_told_by_a_dry_run(transcript):
    with extractor(broken):
        code, sentence = refusal("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--dry-run")

    assert code == 1
    assert "memorykit_doctor" in sentence


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "transcript"),
        (b"not json", "line 1"),
        (b'[{"role": "user"}]', "content"),
        (b" " * (5 * 1024 * 1024 + 1), "bytes"),
    ],
)
@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_bad_input_is_refused_and_nothing_stored(tmp_path, data, words, dry_run):
    path = tmp_path / "bad"
    path.write_bytes(data)

    code, sentence = refusal("memorykit_extract", path, *SCOPE_ARGUMENTS, *dry_run)

    assert code == 2
    assert words in sentence
    assert not Job.objects.exists()


def test_a_file_that_is_not_there_is_told(tmp_path):
    code, sentence = refusal("memorykit_extract", tmp_path / "none", *SCOPE_ARGUMENTS)

    assert code == 2
    assert "no such file" in sentence


def test_a_blank_tenant_is_refused(transcript):
    code, sentence = refusal("memorykit_extract", transcript, "--tenant= ", "--project=red")

    assert (code, "tenant" in sentence) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_waiting_ends_with_the_candidates(transcript):
    with extractor(one_fact):
        job_id = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS)["job_id"]
        drain.drain()

        done = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait")
        printed = said("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait")

    (candidate,) = stored()
    assert done["job_id"] == job_id
    assert (done["state"], done["failure_code"]) == ("completed", "")
    assert done["candidates"] == [
        {"id": str(candidate.pk), "kind": "fact", "key": "office.city", "state": "candidate"}
    ]
    assert f"{candidate.pk}  fact  office.city" in printed


@pytest.mark.django_db(transaction=True)
def test_waiting_lasts_as_long_as_the_work(transcript, work):
    def slow(messages, **_):
        time.sleep(0.5)
        return []

    with extractor(slow):
        done = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait")

    assert (done["state"], done["candidates"]) == ("completed", [])


@pytest.mark.django_db(transaction=True)
def test_a_job_that_failed_is_told_with_its_code(transcript, work):
    with extractor(broken):
        code, sentence = refusal("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait")

    assert code == 1
    assert "candidate_extract_failed" in sentence
    assert f"redrive {Job.objects.get().pk}" in sentence


def test_a_job_that_was_cancelled_is_told(transcript):
    taken = answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS)
    jobs.cancel(Job.objects.get(pk=taken["job_id"]).pk, by=OPERATOR)

    _, sentence = refusal("memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait")

    assert "ended as cancelled:" in sentence


def test_waiting_without_a_worker_ends_and_says_so(transcript):
    code, sentence = refusal(
        "memorykit_extract", transcript, *SCOPE_ARGUMENTS, "--wait", "--timeout=0.1"
    )

    assert code == 1
    assert "still pending" in sentence
    assert "Is a worker running?" in sentence
    assert Job.objects.get().state == "pending"


@pytest.mark.django_db(transaction=True)
def test_a_real_process_waits_for_a_real_worker(transcript, process_environment, tmp_path):
    environment = process_environment | {"DJANGO_SETTINGS_MODULE": "tests.settings_worker"}
    # A bell that an earlier test rang would keep this one silent.
    django_rq.get_connection("memorykit").flushdb()
    worker = WorkerProcess(environment, tmp_path / "worker.log")
    worker.start()
    try:
        done = subprocess.run(
            [
                *(sys.executable, "manage.py", "memorykit_extract", str(transcript)),
                *(*SCOPE_ARGUMENTS, "--wait", "--timeout=60", "--json"),
            ],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        worker.kill()

    assert done.returncode == 0, done.stderr
    answered = json.loads(done.stdout)
    assert answered["state"] == "completed"
    assert [one["key"] for one in answered["candidates"]] == ["turn.0"]
    # No terminal, no progress bar.
    assert "attempt" not in done.stderr


def test_an_outcome_belongs_to_its_scope_and_leaves_out_what_was_erased(transcript):
    with extractor(one_fact):
        answer("memorykit_extract", transcript, *SCOPE_ARGUMENTS)
        drain.drain()
    job, (candidate,) = Job.objects.get(kind="extract"), stored()

    with pytest.raises(MemoryNotFound, match="no extraction job"):
        extraction_outcome.outcome(job.pk, scope=OTHER, by=OPERATOR)
    erasure.erase(candidate.pk, asked(1))

    assert extraction_outcome.outcome(job.pk, scope=SCOPE, by=OPERATOR).candidates == ()
