"""Recall of the past: records as they were known at a time, for people who may review."""

from __future__ import annotations

import random

import pytest

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import AccessDenied, RecallDependency, Unavailable
from memorykit_app.recall import statements
from memorykit_app.services import correction, erasure, memories
from tests.integration.test_recall_degraded import locked, new_words
from tests.recalling import ask, contents, ids, known, policy
from tests.records import OTHER, active, asked, at, memory

pytestmark = pytest.mark.django_db
LISBON, PORTO = "The office is in Lisbon.", "The office is in Porto."
QUESTION = {"text": "Where is the office?", "keys": ("note.0",)}
# Words that both rules weigh alike on both sides, some rare and some common.
WORDS = [f"w{letter}{other}" for letter in "bcdfg" for other in "aeiou"]


@pytest.fixture(autouse=True)
def patient():
    with policy():
        yield


def test_a_corrected_record_is_found_as_it_was():
    (record,) = known(LISBON)
    correction.correct(record.pk, asked(1, seconds=10), new_words())

    assert contents(ask(**QUESTION, now=at(60))) == [PORTO]
    then = ask(**QUESTION, now=at(60), known_at=at(5))

    assert contents(then) == [LISBON]
    assert (then.items[0].version, then.items[0].source_refs) == (1, ("note:1",))
    assert then.items[0].ranks == {"exact": 1, "full_text": 1}
    assert then.degraded == ("vector",)
    assert contents(ask(**QUESTION, now=at(60), known_at=at(10))) == [PORTO]


def test_what_was_forgotten_since_is_found_and_what_came_later_is_not():
    (record,) = known(LISBON)
    memories.forget(record.pk, asked(1, seconds=10))
    active("The new office is in Porto.", key="later", now=at(20))

    assert ids(ask("office", now=at(60), known_at=at(5))) == [record.pk]
    assert ask("office", now=at(60), known_at=at(-5)).items == ()
    assert ask("office", now=at(60), known_at=at(15)).items == ()


def test_what_was_erased_since_is_not_found():
    (record,) = known(LISBON)
    erasure.erase(record.pk, asked(1, seconds=10))

    found = ask(**QUESTION, now=at(60), known_at=at(5), always_on=True)

    assert found.items == ()
    assert LISBON not in repr(found)


def test_a_candidate_of_then_is_not_found_though_it_is_active_now():
    record = memory(LISBON)
    memories.activate(record.pk, asked(1, seconds=10))

    assert ask("office", now=at(60), known_at=at(5)).items == ()
    assert ids(ask("office", now=at(60), known_at=at(10))) == [record.pk]


def test_known_then_and_valid_then_are_two_questions():
    active(LISBON, valid_from=at(100))

    assert ask("office", now=at(500), known_at=at(5)).items == ()
    assert contents(ask("office", now=at(500), known_at=at(5), as_of=at(100))) == [LISBON]


def test_pinned_then_comes_first_and_kinds_and_scopes_hold():
    weak, strong = known("Answer in British English.", LISBON)
    memories.pin(weak.pk, asked(1, seconds=10))

    then = ask("Lisbon", now=at(60), known_at=at(30), always_on=True)

    assert ids(then) == [weak.pk, strong.pk]
    assert ids(ask("Lisbon", now=at(60), known_at=at(5), always_on=True)) == [strong.pk]
    assert ask("Lisbon", now=at(60), known_at=at(30), kinds=("lesson",)).items == ()
    assert ask("Lisbon", now=at(60), known_at=at(30), scope=OTHER).items == ()


def test_the_past_is_for_those_who_may_review():
    host = Principal(actor="host:agent-1", capabilities=frozenset({Capability.READ}))
    known(LISBON)

    with pytest.raises(AccessDenied):
        ask("office", by=host, known_at=at(5))


@pytest.mark.parametrize("preset", ["balanced-v1", "matched-terms-v1"])
def test_the_statement_and_the_rule_in_python_agree(preset):
    chance = random.Random(4)
    for number in range(30):
        active(
            " ".join(chance.choices(WORDS, weights=range(1, 26), k=chance.randint(2, 9))),
            key=f"k{number}",
            importance=chance.randint(0, 2),
            valid_until=at(1) if number % 7 == 0 else None,
        )

    changes = {"VECTOR_LIMIT": 0, "FOLD": 0.0, "ITEMS": 30, "CALIBRATION": "none"}
    with policy(preset, **changes):
        for _ in range(20):
            question = " ".join(chance.sample(WORDS, k=4))
            now, then = (
                ask(question, now=at(60), explain=True, **past)
                for past in ({}, {"known_at": at(60)})
            )

            assert ids(now) == ids(then)
            ranked = [entry for entry in now.explained if entry.ranks]
            assert [entry.channel_scores for entry in ranked] == [
                pytest.approx(dict(entry.channel_scores)) for entry in then.explained
            ]


def test_a_broken_statement_of_the_past_fails_closed(monkeypatch):
    real = statements.execute
    monkeypatch.setattr(
        statements,
        "execute",
        lambda statement, params, *, limit_ms: real("SELECT 1 / 0", params, limit_ms=limit_ms),
    )

    with pytest.raises(RecallDependency):
        ask("office", known_at=at(5))


@pytest.mark.django_db(transaction=True)
def test_a_past_that_hangs_is_unavailable():
    known(LISBON)

    with policy(DEADLINE_MS=300), locked("memorykit_revision"), pytest.raises(Unavailable):
        ask("office", known_at=at(5))
