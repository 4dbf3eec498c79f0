"""English rules: kinds of statement, one reading each, and what must not be read."""

from __future__ import annotations

import pytest

from memorykit_app.backends import rules_english, rules_english_facts
from memorykit_app.domain.states import Kind

DECISION, CONSTRAINT, LESSON, FACT = Kind.DECISION, Kind.CONSTRAINT, Kind.LESSON, Kind.FACT


def read(text):
    return [(s.kind, s.key) for s in rules_english.statements(text)]


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("Final decision: blue paint for the doors", DECISION, "doors"),
        ("We chose Stripe as the payment provider", DECISION, "stripe-payment-provider"),
        ("We agreed to store the invoices for now in Postgres", DECISION, "invoices.database"),
        ("Okay, blue-green deploys it is", DECISION, "blue-green-deploys"),
        ("Takeaway: snapshot the disk first", LESSON, "snapshot-disk-first"),
        ("Turns out it was DNS", LESSON, "dns"),
        ("Turns out the cache key lacked the tenant", LESSON, "cache-key-lacked"),
        ("The gripper jams if the pressure drops", LESSON, "gripper-jams-pressure"),
        ("Never deploy on a Friday", CONSTRAINT, "deploy-friday"),
        ("I prefer tabs over spaces", FACT, "preference.indentation"),
        ("Mara owns the payments service", FACT, "payments-service.owner"),
        ("Tunde is our contact", FACT, "contact"),
        ("Everyone bills in six-minute units", FACT, "bills-six-minute-units"),
        ("There are two warehouses in Rotterdam", FACT, "warehouses-rotterdam"),
        ("We're a studio of 5 people", FACT, "studio"),
        ("I live at 44b Quay Street", FACT, "location"),
        ("If the parcel is late we pay 80 euros a day", FACT, "pay-euros-day"),
        ("Our treasurer, Paulo Mendes, signs 40 cheques a week", FACT, "treasurer"),
        ("Please note that 40 chairs", FACT, "chairs"),
    ],
)
def test_a_statement_is_read_as_one_kind_with_a_key(text, kind, key):
    ((found_kind, found_key),) = read(text)

    assert found_kind is kind
    assert found_key == key


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "The build is broken again",
        "It is on port 80",
        "I use 3 screens",
        "Its owner is Dana",
        "The file has 12 rows",
        "Paul says hi",
        "This must be late",
        "Don't merge the branch yet",
        "Let's take a break",
        "Walls are white",
        "The server is hosted here",
        "The invoice you sent has 3 pages",
        "Joe is on the phone with Vodafone",
    ],
)
def test_talk_of_the_moment_is_not_read(text):
    assert read(text) == []


def test_each_clause_is_a_fact_of_its_own():
    facts = list(
        rules_english_facts.facts(
            "ACME renewed, their contract runs to 2027, and the fee is 40 euros", 0, False
        )
    )

    assert [(f.about, f.words) for f in facts] == [
        ("ACME's ", "contract runs to 2027"),
        ("", "the fee is 40 euros"),
    ]


def test_the_words_stand_where_the_statement_says():
    sentence = "Okay, so the billing API listens on port 7443 by the way"

    (statement,) = rules_english.statements(sentence)

    assert sentence[statement.start :].startswith(statement.words)
    assert statement.words == "the billing API listens on port 7443"


def test_openers_in_a_row_are_skipped():
    five = "ok, so, right, well, also, the API listens on port 80"

    assert read(five) == [(FACT, "api.port")]
    assert read(f"yes, {five}") == [(FACT, "api.port")]
