"""Folding: one of those that say the same, and never two that differ in a number."""

from __future__ import annotations

import pytest

from memorykit_app.recall.folding import Folds
from memorykit_app.recall.result import RecallItem
from tests.unit.recall.found import START, uid


def items(*contents: str) -> list[RecallItem]:
    return [
        RecallItem(
            memory_id=uid(number),
            version=1,
            kind="fact",
            key=f"k{number}",
            content=content,
            score=1.0,
            ranks={},
            tokens=1,
            valid_from=START,
            valid_until=None,
            provenance="operator_curated",
            pinned=False,
        )
        for number, content in enumerate(contents, start=1)
    ]


def kept(share: float, *contents: str) -> list[int]:
    return [item.memory_id.int for item in Folds(share).distinct(items(*contents))]


def test_the_second_of_two_that_say_the_same_is_kept_back_and_named():
    folds = Folds(0.95)

    passed = list(folds.distinct(items("The office is in Lisbon.", "the OFFICE is in lisbon")))

    assert [item.memory_id.int for item in passed] == [1]
    assert folds.folded == [uid(2)]


@pytest.mark.parametrize(
    "contents",
    [
        ("Deploy at 17:00 on Friday.", "Deploy at 18:00 on Friday."),
        ("The office is in Lisbon.", "The office is in Porto."),
        ("🙂", "🙃"),
        ("预算是三百万", "预算是五百万"),
    ],
)
def test_what_differs_is_passed_on(contents):
    assert kept(0.9, *contents) == [1, 2]


def test_a_share_decides_how_alike_is_alike():
    contents = ("one two three four five", "one two three four six")

    assert kept(0.6, *contents) == [1]
    assert kept(0.95, *contents) == [1, 2]


def test_switched_off_it_passes_everything_on():
    assert kept(0.0, "same", "same") == [1, 2]


def test_it_remembers_over_two_lists():
    folds = Folds(1.0)
    first, second = items("The office is in Lisbon.", "The office is in Lisbon.")

    assert list(folds.distinct([first])) == [first]
    assert list(folds.distinct([second])) == []
