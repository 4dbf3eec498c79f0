"""Explicit writes: a model's own words may stand at once, never over what a person decided."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from memorykit_app.backends.base import Finding, Severity
from memorykit_app.backends.validator import ContentRules
from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import AccessDenied, InvalidMemory
from memorykit_app.domain.states import Provenance, State
from memorykit_app.models import Memory, access, sealed
from memorykit_app.services import correction, creation, erasure, memories
from memorykit_app.services.correction import Correction
from memorykit_app.tools import Result
from tests.agents import HOST, READER, call, remember, run, told
from tests.records import MODEL, NOW, OTHER, SCOPE, active, asked, at, draft, fresh, history, memory

pytestmark = pytest.mark.django_db


def rows(scope=SCOPE) -> list[Memory]:
    with sealed(scope):
        return list(Memory.objects.in_scope(scope).order_by("created_at", "id"))


def made(result) -> Memory:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).get(pk=UUID(told(result)["id"]))


def version_of(record: Memory) -> int:
    return fresh(record).version


def test_words_under_a_new_key_are_active_and_say_where_they_come_from():
    result = remember()

    record = made(result)
    assert (result.result, result.user_text) == (Result.ACTIVE, "项目记忆已保存")
    assert not result.is_error
    assert told(result) == {"result": "active", "id": str(record.pk), "version": 1}
    assert (record.state, record.created_by) == (State.ACTIVE, "model:u-1")
    assert record.source_agent_id == HOST.actor
    assert record.provenance == Provenance.USER_REQUESTED
    assert (record.importance, record.confidence, record.valid_from) == (0, 0.0, NOW)
    [step] = history(record)
    assert (step.action, step.actor, step.reason) == ("create", "model:u-1", "explicit-write-v1")
    assert step.note == "The user asked for it."
    assert step.snapshot["sources"][0]["ref"] == "agent-run:run-1"


def test_the_models_own_untouched_write_is_superseded():
    first = made(remember())
    second = remember(content="The office is in Porto.", now=at(1), by_run=run(user_id="u-2"))

    assert second.result is Result.ACTIVE
    assert fresh(first).state == State.INACTIVE
    assert made(second).state == State.ACTIVE


def by_a_person():
    return active()


def corrected_by_an_operator():
    record = made(remember())
    correction.correct(record.pk, asked(1), Correction(content="The office is in Faro."))
    return record


def pinned_by_an_operator():
    record = made(remember())
    memories.pin(record.pk, asked(1))
    return record


def written_by_a_host():
    return active(by=HOST)


def extracted_and_activated():
    record = memory(by=MODEL)
    memories.activate(record.pk, asked(1))
    return record


@pytest.mark.parametrize(
    "before",
    [
        by_a_person,
        corrected_by_an_operator,
        pinned_by_an_operator,
        written_by_a_host,
        extracted_and_activated,
    ],
)
def test_over_anyone_elses_record_words_become_a_candidate(before):
    record = before()
    stood = fresh(record)

    result = remember(content="The office is in Porto.", now=at(2))

    assert (result.result, result.user_text) == (Result.CANDIDATE, "项目记忆待审核")
    assert made(result).state == State.CANDIDATE
    assert (fresh(record).state, fresh(record).version) == (State.ACTIVE, stood.version)


@pytest.mark.parametrize("verb", [memories.forget, memories.dismiss])
def test_what_a_person_took_away_does_not_come_back_by_itself(verb):
    record = active() if verb is memories.forget else memory(by=MODEL)
    verb(record.pk, asked(1))

    assert remember(content="The office is in Porto.", now=at(2)).result is Result.CANDIDATE


def test_a_host_may_leave_all_to_reviewers():
    own = made(remember(key="other", content="It rains."))
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"EXPLICIT_WRITES": "review"}):
        result = remember()
        changed = call(
            "correct_memory", memory_id=str(own.pk), version=1, content="It snows.", reason="x"
        )
        gone = call("forget_memory", memory_id=str(own.pk), version=1, reason="x", now=at(1))

    assert (result.result, changed.result) == (Result.CANDIDATE, Result.CANDIDATE)
    assert history(made(result))[0].reason == "review"
    assert gone.result is Result.REFUSED
    assert version_of(own) == 1


def test_words_that_a_look_flags_are_for_a_person():
    found = [Finding("content", "instruction_like", Severity.FLAG)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ContentRules, "findings", lambda self, fields: list(found))
        result = remember()

    assert result.result is Result.CANDIDATE
    assert made(result).flags == ["instruction_like"]


def test_the_same_words_are_a_duplicate_whoever_wrote_them():
    record = active()

    result = remember()

    assert (result.result, result.is_error) == (Result.DUPLICATE, False)
    assert told(result) == {"result": "duplicate", "id": str(record.pk), "version": 1}
    assert len(rows()) == 1


def test_a_candidate_of_others_is_no_duplicate_and_is_not_told():
    hidden = memory(by=MODEL)

    result = remember()

    assert result.result is Result.ACTIVE
    assert told(result)["id"] != str(hidden.pk)


def test_a_repeated_call_of_a_run_tells_what_became_of_the_first():
    one = remember()
    again = remember(now=at(1))
    record = made(one)
    memories.forget(record.pk, asked(1, seconds=2))
    forgotten = remember(now=at(3))

    assert told(one) == told(again)
    assert told(forgotten) == {"result": "duplicate", "id": str(record.pk), "version": 2}
    assert len(rows()) == 1


def test_a_write_of_erased_words_is_refused():
    record = made(remember())
    erasure.erase(record.pk, asked(1, reason="request"))
    metadata = {}

    same_run = remember(metadata, now=at(2))
    other_run = remember(now=at(3), by_run=run(run_id="run-2"))

    assert same_run.result is other_run.result is Result.REFUSED
    assert (same_run.model_text, same_run.is_error) == ("项目记忆未保存", True)
    assert other_run.code == "memory_erased_before"
    assert metadata


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"content": "x" * 9_000}, "invalid_request"),
        ({"key": " k"}, "invalid_request"),
        ({"content": "The city is L\u202eisbon."}, "invalid_memory_content"),
        ({"content": "Key: AKIAIOSFODNN7EXAMPLQ and more"}, "invalid_memory_content"),
    ],
)
def test_words_that_break_a_rule_are_refused_with_a_fixed_text(change, code):
    result = remember(**change)

    assert (result.result, result.code) == (Result.REFUSED, code)
    assert result.model_text == result.user_text == "项目记忆未保存"
    assert rows() == []


def test_the_models_own_record_is_corrected_at_once():
    record = made(remember(valid_until="2032-01-01T00:00:00Z"))

    result = call(
        "correct_memory",
        memory_id=str(record.pk),
        version=1,
        content="The office is in Porto.",
        reason="moved",
        now=at(1),
    )

    now_is = fresh(record)
    assert told(result) == {"result": "active", "id": str(record.pk), "version": 2}
    assert (now_is.content, now_is.valid_until) == ("The office is in Porto.", record.valid_until)
    assert [step.actor for step in history(record)] == ["model:u-1"] * 2


def test_a_correction_of_a_persons_record_becomes_a_candidate_beside_it():
    record = active()

    result = call(
        "correct_memory",
        memory_id=str(record.pk),
        version=1,
        content="The office is in Porto.",
        reason="moved",
        now=at(1),
    )

    proposed = made(result)
    assert result.result is Result.CANDIDATE
    assert (proposed.kind, proposed.key) == (record.kind, record.key)
    assert fresh(record).content == record.content
    assert fresh(record).version == 1


def test_a_correction_that_changes_nothing_is_a_duplicate():
    record = active()
    result = call(
        "correct_memory", memory_id=str(record.pk), version=1, content=record.content, reason="x"
    )

    assert result.result is Result.DUPLICATE
    assert version_of(record) == 1


def test_the_models_own_record_is_forgotten_and_anyone_elses_is_refused():
    own, theirs = made(remember()), active("The lab is in Rome.", key="lab")

    gone = call("forget_memory", memory_id=str(own.pk), version=1, reason="asked", now=at(1))
    kept = call("forget_memory", memory_id=str(theirs.pk), version=1, reason="asked", now=at(1))

    assert (gone.result, fresh(own).state) == (Result.INACTIVE, State.INACTIVE)
    assert (kept.result, kept.is_error) == (Result.REFUSED, True)
    assert fresh(theirs).state == State.ACTIVE


@pytest.mark.parametrize("tool", ["correct_memory", "forget_memory"])
@pytest.mark.parametrize("which", ["candidate", "foreign", "later", "over", "nowhere", "stale"])
def test_a_record_that_no_agent_sees_cannot_be_changed(tool, which):
    version = 1
    match which:
        case "candidate":
            record = memory()
        case "foreign":
            record = active(scope=OTHER)
        case "later":
            record = active(valid_from=at(60))
        case "over":
            record = active(valid_from=at(-60), valid_until=at(-30))
        case "stale":
            record, version = active(), 2
        case _:
            record = Memory(id=UUID(int=7))
    given = {"memory_id": str(record.pk), "version": version, "reason": "x"}
    if tool == "correct_memory":
        given["content"] = "The office is in Porto."

    result = call(tool, **given)

    assert result.result is Result.REFUSED
    assert result.model_text == "项目记忆未保存"
    # Hidden and absent look alike; only a record that may be read tells that it changed.
    assert result.code == ("memory_conflict" if which == "stale" else "memory_not_found")


def test_a_key_without_the_capability_opens_no_write():
    with pytest.raises(AccessDenied):
        run(by=READER)
    with pytest.raises(InvalidMemory, match="run_id"):
        run(run_id="")
    with pytest.raises(InvalidMemory, match="user_id"):
        run(user_id="")
    for bad in ("a b", "x@example.org", "a" * 129, "-x", "x\n", 7):
        with pytest.raises(InvalidMemory):
            run(user_id=bad)


def test_the_authorizer_is_asked_for_the_host_and_for_its_model():
    nobody = run(by=Principal.person(99))
    with pytest.raises(AccessDenied):
        remember(by_run=nobody)
    assert rows() == []


def test_a_model_without_a_grant_only_proposes():
    with pytest.raises(AccessDenied):
        creation.create(
            draft(),
            scope=SCOPE,
            by=MODEL,
            provenance=Provenance.USER_REQUESTED,
            now=NOW,
            state=State.ACTIVE,
        )
    granted = run().model
    for verb in ("activate", "erase", "review", "dismiss", "restore", "read", "hold"):
        with pytest.raises(AccessDenied):
            access.authorize(granted, verb, SCOPE)


def test_a_host_never_activates_what_its_model_proposed():
    active()
    proposed = made(remember(content="The office is in Porto.", now=at(1)))
    reviewer = Principal(
        actor=HOST.actor, user_id=None, capabilities=frozenset({Capability.REVIEW})
    )

    with pytest.raises(AccessDenied):
        memories.activate(proposed.pk, asked(1, seconds=2, by=reviewer))


def test_the_same_run_in_another_project_makes_another_record():
    here = remember()
    there = remember(by_run=run(scope=OTHER))

    assert told(here)["id"] != told(there)["id"]
    assert len(rows()) == len(rows(OTHER)) == 1


@pytest.mark.django_db(transaction=True)
def test_racing_writers_leave_one_active_record():
    def write(number: int):
        try:
            return remember(
                content=f"The office is in city {number}.",
                by_run=run(run_id=f"run-{number}"),
                now=at(10),
            ).result
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(write, range(8)))

    assert set(results) == {Result.ACTIVE}
    assert [row.state for row in rows()].count("active") == 1
