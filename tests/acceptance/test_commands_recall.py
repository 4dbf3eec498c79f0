"""Recall from the command line: the answer an agent host would get, readable."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memorykit_app.backends.doubles import HashingEmbedder
from memorykit_app.domain.errors import BackendError
from memorykit_app.domain.states import Kind
from memorykit_app.models import RecallReceipt, sealed
from memorykit_app.services import drain, memories
from memorykit_app.services.lifecycle import Command
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.records import OPERATOR, SCOPE, active, memory

pytestmark = pytest.mark.django_db
# Records of the makers begin in the future; the command asks by the real clock.
PAST = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def office():
    record = active("The office is in Lisbon.", key="office.city", now=PAST)
    active("Lunch is at noon.", key="lunch.time", kind=Kind.DECISION, now=PAST)
    memory("The office moves to Porto.", key="office.next", now=PAST)
    drain.drain()
    return record


def test_an_active_memory_is_recalled_through_all_channels(office):
    found = answer(
        "memorykit_recall", "Where is the office?", "--keys", "office.city", *SCOPE_ARGUMENTS
    )

    first = found["items"][0]
    assert (first["memory_id"], first["content"]) == (str(office.pk), office.content)
    assert set(first["ranks"]) == {"exact", "full_text", "vector"}
    assert (found["degraded"], found["policy"]) == ([], "balanced-v1")
    assert "explained" not in found


def test_candidates_are_not_recalled(office):
    assert "Porto" not in said("memorykit_recall", "Where does the office move?", *SCOPE_ARGUMENTS)


def test_people_read_lines(office):
    printed = said("memorykit_recall", "office in Lisbon", *SCOPE_ARGUMENTS, "--explain")

    assert f"1. fact office.city ({office.pk}, version 1)" in printed
    assert "   The office is in Lisbon." in printed
    assert "OUTCOME" in printed
    assert "kept" in printed


def test_an_explained_answer_tells_ranks_and_outcomes(office):
    found = answer("memorykit_recall", "office Lisbon", *SCOPE_ARGUMENTS, "--explain", "--items=1")

    assert len(found["items"]) == 1
    assert {entry["outcome"] for entry in found["explained"]} >= {"kept"}


def test_kinds_and_keys_narrow(office):
    found = answer(
        "memorykit_recall",
        "office lunch",
        *SCOPE_ARGUMENTS,
        "--kinds",
        "decision",
        "--keys",
        "lunch.time",
    )

    assert [item["key"] for item in found["items"]] == ["lunch.time"]


def test_the_past_can_be_asked_about(office):
    found = answer("memorykit_recall", "office", *SCOPE_ARGUMENTS, "--as-of=2001-01-01T00:00Z")

    assert found["items"] == []


def test_what_was_known_then_can_be_asked_about(office):
    found = answer("memorykit_recall", "office", *SCOPE_ARGUMENTS, "--known-at=2001-01-01T00:00Z")

    assert (found["items"], found["degraded"]) == ([], ["vector"])


def test_a_scope_where_nothing_was_ever_stored_is_called_so(office):
    elsewhere = ("--tenant=acme", "--project=blue")

    assert said("memorykit_recall", "office", *elsewhere).splitlines()[:2] == [
        "nothing was ever stored for this tenant and project: check --tenant and --project",
        "nothing is recalled",
    ]
    found = answer("memorykit_recall", "office", *elsewhere)
    assert (found["known"], found["items"], found["receipt_id"]) == (False, [], None)


def test_nothing_recalled_where_something_is_stored_is_another_answer(office):
    printed = said("memorykit_recall", "office", *SCOPE_ARGUMENTS, "--kinds=lesson")

    assert printed.startswith("nothing is recalled")
    assert answer("memorykit_recall", "office", *SCOPE_ARGUMENTS)["known"] is True


def test_an_answer_names_its_receipt(office):
    printed = said("memorykit_recall", "office", *SCOPE_ARGUMENTS)

    with sealed(SCOPE):
        (receipt,) = RecallReceipt.objects.in_scope(SCOPE)
    assert f"receipt {receipt.pk}" in printed.splitlines()
    assert receipt.entry == "command"
    assert receipt.actor.startswith("operator:")


def test_what_does_not_fit_and_what_degraded_is_told(office, monkeypatch):
    def away(self, text):
        raise BackendError("embed", recoverable=True)

    monkeypatch.setattr(HashingEmbedder, "embed_query", away)

    # Words that no other test asks with: vectors of questions are kept.
    printed = said("memorykit_recall", "Lisbon office once", *SCOPE_ARGUMENTS, "--tokens=1")

    assert "degraded: vector" in printed
    assert "did not fit the budget: 1" in printed


def test_a_pinned_memory_is_marked(office):
    memories.pin(office.pk, Command(scope=SCOPE, by=OPERATOR, now=PAST, expected_version=1))

    assert "version 2, pinned)" in said("memorykit_recall", "office Lisbon", *SCOPE_ARGUMENTS)


@pytest.mark.parametrize("arguments", [(), ("office", "--items=0"), ("office", "--keys", "a", "a")])
def test_a_question_that_cannot_be_asked_is_refused(arguments):
    assert refusal("memorykit_recall", *arguments, *SCOPE_ARGUMENTS)[0] == 2
