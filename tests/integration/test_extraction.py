"""Extraction: a transcript becomes candidates, all or none, once, and never more than that."""

from __future__ import annotations

import json

import pytest
from django.db import connection

from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.errors import BackendError, Conflict, InvalidTranscript, LeaseLost
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import Job, JobKind, Memory, Source, Transcript, sealed
from memorykit_app.services import (
    drain,
    erasure,
    extraction,
    leases,
    memories,
    sweep,
    transcripts,
)
from tests import doubles
from tests.records import AUTHOR, NOW, OTHER, SCOPE, active, asked, at

pytestmark = pytest.mark.django_db
TURNS = [
    {"role": "user", "content": "We deploy from the region eu-west-1."},
    {"role": "tool", "content": "The port is 8443."},
]


def found(key="deploy.region", quote="region eu-west-1", index=0, **changes) -> ExtractedDraft:
    words = {
        "kind": Kind.FACT,
        "key": key,
        "content": f"The value of {key} is known.",
        "quote": quote,
        "message_index": index,
    }
    return ExtractedDraft(**(words | changes))


def submit(turns=TURNS, **changes):
    return transcripts.submit(
        json.dumps(turns).encode(),
        **({"scope": SCOPE, "by": AUTHOR, "now": NOW} | changes),
    )


def work(script) -> int:
    with doubles.extractor(script):
        return drain.drain()


def answering(*drafts):
    return lambda messages, now, limit: list(drafts)


def candidates() -> list[Memory]:
    with sealed(SCOPE):
        return list(Memory.objects.in_scope(SCOPE).order_by("key"))


def job() -> Job:
    return Job.objects.get(kind=JobKind.EXTRACT)


def sources() -> list[Source]:
    with sealed(SCOPE):
        return list(Source.objects.in_scope(SCOPE).order_by("quote"))


def test_candidates_carry_their_quote_its_place_and_who_said_it():
    submitted = submit()

    work(answering(found(), found("api.port", "8443", 1)))

    port, region = candidates()
    assert (region.state, region.created_by) == (State.CANDIDATE, "model:scripted-v1")
    assert region.source_agent_id == AUTHOR.actor
    assert region.flags == []
    assert port.flags == ["outside_text"]
    outside, inside = sources()
    assert inside.ref == f"transcript:{submitted.job_id}"
    said = TURNS[0]["content"]
    assert said[inside.quote_start : inside.quote_end] == inside.quote == "region eu-west-1"
    assert (outside.message_index, job().state, job().result_count) == (1, "completed", 2)


@pytest.mark.parametrize("draft", [found(quote="never said"), found(index=99), found(quote="")])
def test_a_quote_that_is_not_there_is_flagged_and_not_dropped(draft):
    submit()

    work(answering(draft))

    assert candidates()[0].flags == ["quote_not_found"]


def test_nothing_to_remember_and_a_failed_model_are_different_outcomes():
    submit()

    work(answering())

    assert (job().state, job().result_count, job().failure_code) == ("completed", 0, "")


@pytest.mark.parametrize(("recoverable", "state"), [(True, "pending"), (False, "failed")])
def test_a_failed_model_leaves_a_code_and_no_candidate(recoverable, state):
    def fail(messages, now, limit):
        raise BackendError("extract", recoverable=recoverable)

    submit()
    work(fail)

    assert (job().state, job().failure_code) == (state, "candidate_extract_failed")
    assert candidates() == []


def test_more_drafts_than_the_limit_are_a_failure_and_not_a_flood(settings):
    settings.MEMORYKIT = settings.MEMORYKIT | {"LIMITS": {"DRAFTS": 1}}
    submit()

    work(answering(found("a.a"), found("b.b")))

    assert job().state == "failed"
    assert candidates() == []


def test_a_draft_that_breaks_a_rule_takes_no_other_along():
    submit()

    work(
        answering(
            found("secret.key", content="The key is AKIA" + "Q3EGRIJ4XPLK2FAK"),
            found(" bad key"),
            found("deploy.region"),
        )
    )

    assert [record.key for record in candidates()] == ["deploy.region"]
    assert (job().state, job().result_count) == ("completed", 1)


def test_the_same_run_is_one_job_and_other_messages_under_its_name_are_refused():
    first = submit(run_id="run-1")
    again = submit(run_id="run-1")
    by_text = submit()

    assert again.replayed
    assert again.job_id == first.job_id != by_text.job_id
    assert submit().replayed
    with pytest.raises(Conflict):
        submit(TURNS[:1], run_id="run-1")
    assert submit(run_id="run-1", scope=OTHER).job_id != first.job_id


def test_a_finished_run_stays_finished():
    submit()
    work(answering(found()))

    assert submit().state == "completed"
    assert work(answering(found("other.key"))) == 0


def test_no_id_of_a_transcript_can_be_guessed_from_its_words(settings):
    first = submit()
    Job.objects.all().delete()
    with sealed(SCOPE):
        Transcript.objects.in_scope(SCOPE).delete()
    settings.MEMORYKIT = settings.MEMORYKIT | {"FINGERPRINT_KEY": "z" * 40}

    assert submit().job_id != first.job_id


def test_wrong_input_is_refused_and_nothing_is_stored():
    for data in (
        b"",
        b"not json",
        b"[]",
        b'[{"role": "user"}]',
        b'[{"role":"user","content":1}]',
    ):
        with pytest.raises(InvalidTranscript):
            transcripts.submit(data, scope=SCOPE, by=AUTHOR, now=NOW)

    assert not Job.objects.exists()


def test_a_late_worker_stores_nothing():
    submit()
    (late,) = leases.claim(JobKind.EXTRACT, limit=1)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memorykit_job SET lease_until = clock_timestamp()")
    leases.rescue()
    leases.claim(JobKind.EXTRACT, limit=1)

    with doubles.extractor(answering(found())), pytest.raises(LeaseLost):
        extraction.run(late)

    assert candidates() == []


def test_a_worker_that_died_after_storing_is_replayed_without_doubles():
    submit()
    (lease,) = leases.claim(JobKind.EXTRACT, limit=1)
    with doubles.extractor(answering(found())):
        extraction.run(lease)
    Job.objects.update(state="pending", finished_at=None)

    work(answering(found()))

    assert len(candidates()) == 1
    assert job().result_count == 1


def test_a_transcript_erased_meanwhile_gives_nothing():
    submit()

    def erase_first(messages, now, limit):
        with sealed(SCOPE):
            Transcript.objects.in_scope(SCOPE).delete()
        return [found()]

    work(erase_first)

    assert candidates() == []
    assert (job().state, job().result_count) == ("completed", 0)


def test_erased_words_are_not_extracted_again():
    record = active(found().content, key="old.key")
    erasure.erase(record.pk, asked(1))
    submit()

    work(answering(found()))

    assert [r.state for r in candidates()] == [State.ERASED]


def test_a_transcript_goes_when_its_last_candidate_is_decided():
    submit()
    work(answering(found("a.a"), found("b.b", quote="8443", index=1)))
    first, second = candidates()

    def left() -> int:
        sweep.sweep(now=at(86_400))
        with sealed(SCOPE):
            return Transcript.objects.in_scope(SCOPE).count()

    assert left() == 1
    memories.activate(first.pk, asked(1))
    assert left() == 1
    memories.dismiss(second.pk, asked(1))

    assert left() == 0
    assert len(sources()) == 2


def test_a_transcript_goes_after_its_days_in_any_case():
    submit()
    work(answering(found()))

    sweep.sweep(now=at(31 * 86_400))

    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()


def test_candidates_that_nobody_decides_expire():
    submit()
    work(answering(found()))

    assert sweep.sweep(now=at(91 * 86_400), dry_run=True).expired == 1
    assert candidates()[0].state == State.CANDIDATE
    assert sweep.sweep(now=at(91 * 86_400)).expired == 1

    assert (candidates()[0].state, candidates()[0].left_as) == ("inactive", "candidate")


def test_a_job_that_breaks_in_an_unforeseen_way_waits_and_lets_others_by():
    def breaks_once(messages, now, limit):
        if "eu-west-1" in messages[0].text:
            raise ZeroDivisionError("the port is 8443")
        return [found(quote="lamp")]

    broken = submit()
    submit([{"role": "user", "content": "The lamp is green."}])

    assert work(breaks_once) == 2
    job = Job.objects.get(pk=broken.job_id)
    assert (job.state, job.failure_code) == ("pending", "candidate_write_failed")
    assert [memory.key for memory in candidates()] == ["deploy.region"]
