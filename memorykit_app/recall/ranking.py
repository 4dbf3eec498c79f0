"""Ranking: the policy's rules, one after the other, over what was found. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memorykit_app.domain.asked_dates import AskedDate
from memorykit_app.recall import calibration, fusion
from memorykit_app.recall.fusion import Candidate, Fused, Weights
from memorykit_app.recall.policy import RecallPolicy
from memorykit_app.recall.rows import Found


def ranked(found: Found, policy: RecallPolicy, dates: Sequence[AskedDate] = ()) -> list[Fused]:
    """Return what was found, best first, with the scores that are served.

    Without calibration a score is what the fusion rule gives.
    """
    candidates = found.candidates
    weights = Weights(
        exact=policy.exact_weight, full_text=policy.full_text_weight, vector=policy.vector_weight
    )
    if policy.fusion == "rrf":
        base = fusion.reciprocal_ranks(candidates, k=policy.rrf_k, weights=weights)
    else:
        base = fusion.weighed_scores(candidates, weights=weights)
    base = fusion.with_context(
        base,
        candidates,
        before=policy.before_weight,
        after=policy.after_weight,
        answer=policy.answer_weight,
    )

    base = fusion.with_bonus(base, candidates, partial(_bonus, policy, dates))
    ordered = [
        entry
        for entry in fusion.ordered(base, candidates)
        # Beside a key that was asked for stands what nobody asked about.
        if entry.candidate.ranks or entry.score > 0
    ]
    curve = calibration.CURVES.get(policy.calibration)
    if curve is None:
        return ordered
    return calibration.calibrated(ordered, calibration.confidence(candidates, found.usual, curve))


def _bonus(policy: RecallPolicy, dates: Sequence[AskedDate], entry: Candidate) -> float:
    bonus = policy.importance_weight * entry.importance / 100
    if policy.fusion == "scores" and "exact" in entry.ranks:
        bonus += policy.exact_weight
    if any(date.holds(entry.valid_from) for date in dates):
        bonus += policy.date_weight
    return bonus
