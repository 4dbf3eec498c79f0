"""Calibration: how sure a recall may be that the scope holds an answer at all. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memorykit_app.recall.fusion import Candidate, Fused

# Fewer vectors tell nothing about what is usual in a scope.
_ENOUGH = 8
_LEAST_ROOM = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What a scope looks like from a question, by a sample of its vectors.

    `similarity` is that of the question to the sample's mean, `coherence` how similar the
    sample is in itself, `size` its rows; `possible` the full-text score of a record that had
    every asked term.
    """

    similarity: float = 0.0
    coherence: float = 0.0
    size: int = 0
    possible: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A logistic curve over the two kinds of evidence and one for each kind alone."""

    nearness: float
    coverage: float
    offset: float
    nearness_alone: tuple[float, float]
    coverage_alone: tuple[float, float]


#: Fitted on answerable and foreign questions of six English, Chinese and Japanese sets with
#: two embedders (ADR 0007). A better fit gets a new name.
CURVES = {
    "evidence-v1": Curve(
        nearness=11.0,
        coverage=9.0,
        offset=-5.3,
        nearness_alone=(14.7, -5.7),
        coverage_alone=(15.0, -1.8),
    )
}


def confidence(found: Sequence[Candidate], usual: Usual, curve: Curve) -> float:
    """Return 0..1: how much this looks like a question that the scope can answer.

    Nearness is how far the best vector stands out of the scope, as a share of the room there
    is; coverage the share of the asked terms, by what they tell, that the best record has. An
    asked key that exists settles it.
    """
    if any("exact" in entry.ranks for entry in found):
        return 1.0
    nearness, coverage = _nearness(found, usual), _coverage(found, usual)
    if nearness is None and coverage is None:
        return 0.5
    if nearness is None:
        assert coverage is not None
        slope, offset = curve.coverage_alone
        return _logistic(slope * coverage + offset)
    if coverage is None:
        slope, offset = curve.nearness_alone
        return _logistic(slope * nearness + offset)
    return _logistic(curve.nearness * nearness + curve.coverage * coverage + curve.offset)


def calibrated(ordered: Sequence[Fused], sure: float) -> list[Fused]:
    """Return the records with scores 0..1 in the same order: the best has the confidence,
    the others their share of it."""
    best = max((entry.score for entry in ordered), default=0.0)
    return [
        Fused(entry.candidate, sure * max(0.0, entry.score / best) if best > 0 else 0.0)
        for entry in ordered
    ]


def _nearness(found: Sequence[Candidate], usual: Usual) -> float | None:
    if usual.size < _ENOUGH:
        return None
    # A sample's mean is longer than that of the scope; this takes the difference off.
    coherence = max(0.0, (usual.size * usual.coherence - 1) / (usual.size - 1))
    best = max((entry.scores["vector"] for entry in found if "vector" in entry.scores), default=0.0)
    return (best - usual.similarity) / max(_LEAST_ROOM, 1 - coherence)


def _coverage(found: Sequence[Candidate], usual: Usual) -> float | None:
    if usual.possible <= 0:
        return None
    return (
        max((entry.scores.get("full_text", 0.0) for entry in found), default=0.0) / usual.possible
    )


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))
