"""Recall by each rule of its policy, and what must never be served."""

from __future__ import annotations

import pytest

from memorykit_app.services import drain, memories
from tests.doubles import embedder
from tests.recalling import ask, contents, ids, known, policy
from tests.records import active, asked, memory

pytestmark = pytest.mark.django_db
LISBON = "The office is in Lisbon."
# What the words of a question and a record have in common only for who knows what they mean.
MEANINGS = {
    "automobile": (1.0, 0.0, 0.0),
    "car": (0.9, 0.1, 0.0),
    "lunch": (0.0, 1.0, 0.0),
    "command": (0.0, -1.0, 0.0),
}


def by_meaning(texts):
    return [
        list(next((v for word, v in MEANINGS.items() if word in text.lower()), (0.0, 0.0, 1.0)))
        for text in texts
    ]


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_what_is_less_similar_than_the_policy_asks_is_left_out(least):
    with embedder(by_meaning), policy(FULL_TEXT_LIMIT=0, MIN_SIMILARITY=least, CENTRE=0.0):
        near, far = known("A car stands outside.", "We lunch at noon.")
        found = ask("Where is the automobile?")

    assert ids(found)[0] == near.pk
    assert (far.pk in ids(found)) is (least == 0.0)


def test_vectors_of_another_profile_are_not_compared():
    with embedder(by_meaning, "old-3"), policy(FULL_TEXT_LIMIT=0):
        known("A car stands outside.")
        assert len(ask("Where is the automobile?").items) == 1
    with embedder(by_meaning, "new-3"), policy(FULL_TEXT_LIMIT=0):
        assert ask("Where is the automobile?").items == ()


def test_what_says_the_same_is_served_once_and_named():
    first = active(LISBON, key="office")
    again = active("The office is, in Lisbon.", key="office.again")
    drain.drain()

    with policy():
        found = ask("Where is the office in Lisbon?")
    with policy(FOLD=0.0):
        both = ask("Where is the office in Lisbon?")

    assert {*ids(both)} == {first.pk, again.pk}
    assert both.dropped == ()
    assert [entry.reason for entry in found.dropped] == ["duplicate"]
    assert {*ids(found), found.dropped[0].memory_id} == {first.pk, again.pk}


def test_a_floor_keeps_silent_about_what_was_never_said():
    known(
        LISBON,
        "Lunch is at noon.",
        "The cat is called Miau.",
        "Builds run on Tuesdays.",
        "Anna leads the team.",
        "Backups go to Porto.",
        "The printer is broken.",
        "Releases need two approvals.",
        "Coffee is free for guests.",
    )

    with policy(FLOOR=0.5):
        assert LISBON in contents(ask("Is the office in Lisbon?"))
        assert ask("quasar spectroscopy wavelengths").items == ()
    with policy():
        assert all(0 <= item.score <= 1 for item in ask("Is the office in Lisbon?").items)


def test_a_superseded_record_gives_way_to_its_successor():
    known(LISBON, key="office.city")
    known("The office is in Porto.", key="office.city")

    with policy():
        found = ask("Where is the office?", keys=("office.city",))

    assert contents(found) == ["The office is in Porto."]


# Cases that every channel is judged by: what must come, and what must not.
def corpus():
    command = active("Run make test before a push.", key="build.test_command")
    car = active("A car stands outside.", key="parking.note")
    old = active("The office is in Porto.", key="office.city")
    new = active(LISBON, key="office.city")
    candidate = memory("The lunch is free.", key="lunch.price")
    gone = active("The lunch is at one.", key="lunch.time")
    memories.forget(gone.pk, asked(1))
    drain.drain()
    return {
        "keyword": ("command make test push", (), {command.pk}, set()),
        "synonym": ("Where is the automobile?", (), {car.pk}, set()),
        "superseded": ("office", ("office.city",), {new.pk}, {old.pk}),
        "candidate": ("lunch", ("lunch.price", "lunch.time"), set(), {candidate.pk, gone.pk}),
    }


@pytest.mark.parametrize(
    ("off", "found_cases"),
    [
        ({}, {"keyword", "synonym", "superseded", "candidate"}),
        ({"FULL_TEXT_LIMIT": 0}, {"synonym", "superseded", "candidate"}),
        ({"VECTOR_LIMIT": 0}, {"keyword", "superseded", "candidate"}),
        ({"FULL_TEXT_LIMIT": 0, "VECTOR_LIMIT": 0}, {"superseded", "candidate"}),
    ],
)
@pytest.mark.parametrize("preset", ["balanced-v1", "matched-terms-v1"])
def test_each_case_is_met_by_the_channels_that_can(preset, off, found_cases):
    met, injected = set(), set()
    similar = {"MIN_SIMILARITY": 0.5, "CENTRE": 0.0}
    with embedder(by_meaning), policy(preset, **similar, **off):
        for name, (text, keys, wanted, forbidden) in corpus().items():
            served = set(ids(ask(text, keys=keys)))
            if wanted <= served:
                met.add(name)
            injected |= served & forbidden

    assert met == found_cases
    assert injected == set()
