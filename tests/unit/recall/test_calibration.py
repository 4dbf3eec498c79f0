"""Calibration: sure where the evidence is, and the order stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.recall.calibration import CURVES, Usual, calibrated, confidence
from memorykit_app.recall.fusion import Fused
from tests.unit.recall.found import candidate

CURVE = CURVES["evidence-v1"]
# A scope whose vectors lie as close together as those of the shipped embedder do.
SCOPE = Usual(similarity=0.79, coherence=0.79, size=256, possible=20.0)


def sure(similarity: float | None, text: float | None, usual: Usual = SCOPE) -> float:
    scores = {"vector": similarity, "full_text": text}
    known = {name: score for name, score in scores.items() if score is not None}
    return confidence([candidate(1, scores=known)], usual, CURVE)


def test_near_and_covered_is_sure_and_far_and_uncovered_is_not():
    assert sure(0.92, 10.0) > 0.95
    assert sure(0.82, 1.0) < 0.2


def test_each_kind_of_evidence_speaks_alone_when_the_other_is_missing():
    words_only = Usual(possible=20.0)
    vectors_only = Usual(similarity=0.79, coherence=0.79, size=256)

    assert sure(None, 12.0, words_only) > 0.9 > 0.2 > sure(None, 0.5, words_only)
    assert sure(0.92, None, vectors_only) > 0.9 > 0.2 > sure(0.81, None, vectors_only)


def test_a_key_that_exists_settles_it():
    assert confidence([candidate(1, ranks={"exact": 1})], SCOPE, CURVE) == 1.0


def test_without_any_evidence_it_may_be_either():
    assert confidence([candidate(1)], Usual(size=3), CURVE) == 0.5
    assert confidence([], Usual(), CURVE) == 0.5


def test_nothing_found_in_a_known_scope_is_not_sure():
    assert confidence([], SCOPE, CURVE) < 0.01


@given(
    similarity=st.floats(0, 1),
    text=st.floats(0, 1e6),
    usual=st.builds(
        Usual,
        similarity=st.floats(-1, 1),
        coherence=st.floats(0, 1),
        size=st.integers(0, 300),
        possible=st.floats(0, 1e6),
    ),
)
def test_confidence_is_a_share_and_more_evidence_never_lowers_it(similarity, text, usual):
    there = sure(similarity, text, usual)

    assert 0 <= there <= 1
    assert sure(min(1.0, similarity + 0.05), text, usual) >= there
    assert sure(similarity, text + 1, usual) >= there


@given(scores=st.lists(st.floats(-5, 5), max_size=20), share=st.floats(0, 1))
def test_scores_keep_their_order_and_the_best_has_the_confidence(scores, share):
    there = sorted(scores, reverse=True)
    found = calibrated([Fused(candidate(1), score) for score in there], share)

    assert all(0 <= entry.score <= share for entry in found)
    assert [entry.score for entry in found] == sorted((e.score for e in found), reverse=True)
    if there and there[0] > 0:
        assert found[0].score == pytest.approx(share)
