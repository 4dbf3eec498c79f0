"""Receipts from the command line: who was served what, and whether an answer can be given again."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from memorykit_app.domain.states import Kind
from memorykit_app.services import drain
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.records import active, erasure_of

pytestmark = pytest.mark.django_db
PAST = datetime(2025, 1, 1, tzinfo=UTC)
QUESTION = "Where is the office in Lisbon?"


@pytest.fixture
def office():
    record = active("The office is in Lisbon.", key="office.city", now=PAST)
    active("Lunch is at noon.", key="lunch.time", kind=Kind.DECISION, now=PAST)
    drain.drain()
    return record


@pytest.fixture
def receipt(office):
    return answer("memorykit_recall", QUESTION, *SCOPE_ARGUMENTS)["receipt_id"]


@pytest.mark.parametrize("where", [(), SCOPE_ARGUMENTS])
def test_it_tells_who_was_served_a_record_and_when(office, receipt, where):
    found = answer("memorykit_receipts", "--memory", office.pk, *where)
    printed = said("memorykit_receipts", "--memory", office.pk, *where)

    (served,) = found["served"]
    assert (found["memory_id"], served["receipt_id"]) == (str(office.pk), receipt)
    assert (served["version"], served["place"], served["entry"]) == (1, 1, "command")
    assert served["actor"].startswith("operator:")
    assert receipt in printed
    assert "Lisbon" not in printed + str(found)


def test_a_record_that_nobody_was_served_has_no_line(office):
    assert said("memorykit_receipts", "--memory", uuid4()).splitlines() == [
        "no receipt names this memory"
    ]
    assert answer("memorykit_receipts", "--memory", uuid4())["served"] == []


def test_an_erased_record_is_still_told_about(office, receipt):
    erasure_of(office)

    (served,) = answer("memorykit_receipts", "--memory", office.pk)["served"]

    assert served["receipt_id"] == receipt


def test_a_receipt_is_asked_again(office, receipt):
    found = answer("memorykit_receipts", "--replay", receipt, "--query", QUESTION)
    printed = said("memorykit_receipts", "--replay", receipt, "--query", QUESTION)

    assert (found["same"], found["reasons"], found["missing"]) == (True, [], [])
    assert printed.splitlines() == [
        "the same records come back, in the same order (by all channels)"
    ]


def test_another_question_is_refused(office, receipt):
    code, sentence = refusal("memorykit_receipts", "--replay", receipt, "--query", "Who is it?")

    assert code == 2
    assert sentence.startswith("query: is not that of this receipt")
    assert "Who" not in sentence


def test_what_does_not_come_back_is_told_with_the_reason(office, receipt, capsys):
    erasure_of(office)

    with pytest.raises(CommandError, match="do not come back") as caught:
        call_command("memorykit_receipts", "--replay", receipt, "--query", QUESTION)

    printed = capsys.readouterr().out
    assert caught.value.returncode == 1
    assert f"missing  {office.pk} version 1" in printed
    assert "erased: a record of this scope was erased since" in printed


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--memory", uuid4(), "--replay", uuid4()),
        ("--memory", uuid4(), "--limit", "0"),
        ("--memory", uuid4(), "--tenant", "acme"),
    ],
)
def test_half_a_question_is_refused(arguments):
    code, _ = refusal("memorykit_receipts", *arguments)

    assert code in (1, 2)


def test_a_receipt_that_does_not_exist_is_not_found(office):
    assert refusal("memorykit_receipts", "--replay", uuid4(), "--query", "x") == (
        1,
        "no recall receipt has this id: check the id, --tenant and --project",
    )
