"""Ranking: each rule of the policy does its part, and none when its weight is 0."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memorykit_app.domain.asked_dates import AskedDate
from memorykit_app.recall.calibration import Usual
from memorykit_app.recall.fusion import Beside
from memorykit_app.recall.policy import build
from memorykit_app.recall.ranking import ranked
from memorykit_app.recall.rows import Found
from tests.unit.recall.found import START, candidate, numbers, uid

USUAL = Usual(similarity=0.5, coherence=0.5, size=100, possible=10.0)
FOUND = Found(
    candidates=(
        candidate(1, ranks={"full_text": 1}, scores={"full_text": 5.0}, unusual=2.0),
        candidate(2, ranks={"vector": 1}, scores={"vector": 0.8}, unusual=3.0, importance=90),
        candidate(3, beside=(Beside(uid(1), -1, asks=True),), unusual=1.0),
        candidate(4, ranks={"vector": 2}, scores={"vector": 0.7}, unusual=2.9, valid_days=40),
    ),
    usual=USUAL,
)


def policy(**changes):
    return build({"PRESET": "balanced-v1", "VERSION": "test-1", "CENTRE": 0.0, **changes})


def order(*dates, **changes):
    return numbers(ranked(FOUND, policy(**changes), dates))


def test_context_brings_in_what_stands_beside_a_hit():
    off = {"BEFORE_WEIGHT": 0.0, "AFTER_WEIGHT": 0.0, "ANSWER_WEIGHT": 0.0}

    assert order() == [1, 3, 2, 4]
    assert order(**off) == [1, 2, 4, 3]


def test_a_date_that_is_asked_for_moves_its_records_up():
    later = (START + timedelta(days=40)).date()
    asked = AskedDate(later.year, later.month, later.day)

    assert order(asked, DATE_WEIGHT=0.1).index(4) < order(asked, DATE_WEIGHT=0.0).index(4)
    assert order(AskedDate(1999, 1, 1), DATE_WEIGHT=0.1) == order()


def test_importance_counts_as_far_as_the_policy_says():
    assert order(IMPORTANCE_WEIGHT=1.0)[0] == 2


def test_ranks_alone_decide_under_rrf():
    found = ranked(FOUND, build({"PRESET": "matched-terms-v1"}))

    assert numbers(found)[:3] == [2, 1, 4]
    assert found[0].score == pytest.approx(1 / 61)


def test_calibrated_scores_are_shares_and_uncalibrated_ones_are_not():
    assert all(0 <= entry.score <= 1 for entry in ranked(FOUND, policy()))
    assert max(e.score for e in ranked(FOUND, policy(CALIBRATION="none", EXACT_WEIGHT=9))) < 2
    doubled = replace(
        FOUND, candidates=(replace(FOUND.candidates[0], ranks={"exact": 1}), *FOUND.candidates[1:])
    )
    assert ranked(doubled, policy(EXACT_WEIGHT=9.0))[0].score == 1.0
    assert ranked(doubled, policy(EXACT_WEIGHT=9.0, CALIBRATION="none"))[0].score > 9


def test_an_asked_key_is_first_and_brings_nothing_along():
    found = Found(
        candidates=(
            candidate(1, ranks={"exact": 1}),
            candidate(2, ranks={"full_text": 1}, scores={"full_text": 9.0}, unusual=5.0),
            candidate(3, beside=(Beside(uid(1), -1),)),
        ),
        usual=USUAL,
    )

    assert numbers(ranked(found, policy())) == [1, 2]
