"""Fusion: what the channels found becomes one list in a total order. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

#: So many standard deviations above what is usual count as much as the best full-text score.
SPREADS = 4.0

Base = dict[UUID, float]
_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Beside:
    """A found record next to another in their source.

    `step` is -1 when it stands before, 1 after, 0 in the same place; `asks` when it is a question.
    """

    memory_id: UUID
    step: int
    asks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record as the channels see it.

    `ranks` holds its rank, from 1, in each channel that found it; `scores` what each channel
    says of it, found or not; `unusual` how many standard deviations its vector is nearer to
    the question than those of the scope are.
    """

    memory_id: UUID
    version: int
    importance: int
    updated_at: datetime
    valid_from: datetime
    ranks: Mapping[str, int]
    scores: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    unusual: float = 0.0
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each channel counts."""

    exact: float = 1.0
    full_text: float = 1.0
    vector: float = 1.0

    def of(self, channel: str) -> float:
        return float(getattr(self, channel))


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate and what it came to."""

    candidate: Candidate
    score: float

    @property
    def memory_id(self) -> UUID:
        return self.candidate.memory_id


def reciprocal_ranks(found: Iterable[Candidate], *, k: float, weights: Weights) -> Base:
    """Return the sum of weight / (k + rank) over the channels that found each record."""
    return {
        entry.memory_id: sum(
            weights.of(channel) / (k + entry.ranks[channel]) for channel in sorted(entry.ranks)
        )
        for entry in found
    }


def weighed_scores(found: Sequence[Candidate], *, weights: Weights) -> Base:
    """Return the weighted sum of what words and vectors say, each brought to about 0..1.

    Full text: the share of the best score. Vector: standard deviations above the usual, a
    fourth each. An asked key is left to a bonus: it says nothing about what stands beside.
    """
    best = max((entry.scores.get("full_text", 0.0) for entry in found), default=0.0) or 1.0
    return {
        entry.memory_id: weights.full_text * entry.scores.get("full_text", 0.0) / best
        + weights.vector * entry.unusual / SPREADS
        for entry in found
    }


def with_context(
    base: Base, found: Iterable[Candidate], *, before: float, after: float, answer: float
) -> Base:
    """Add to each record a share of the best found one beside it in its source.

    `before` is the share of one that stands before it, `after` of one behind; `answer` comes on
    top when the one before asks something.
    """

    def share(beside: Beside) -> float:
        if beside.step == 0:
            return max(before, after)
        return after if beside.step > 0 else before + (answer if beside.asks else 0.0)

    raised = dict(base)
    for entry in found:
        best = max(
            (share(beside) * base.get(beside.memory_id, 0.0) for beside in entry.beside),
            default=0.0,
        )
        if best > 0:
            raised[entry.memory_id] += best
    return raised


def with_bonus(base: Base, found: Iterable[Candidate], bonus: Callable[[Candidate], float]) -> Base:
    """Add to each record what `bonus` gives it."""
    return {entry.memory_id: base[entry.memory_id] + bonus(entry) for entry in found}


def ordered(base: Base, found: Iterable[Candidate]) -> list[Fused]:
    """Return the records best first; ties by importance, time of change (descending), id."""
    return sorted((Fused(entry, base[entry.memory_id]) for entry in found), key=_place)


def _place(entry: Fused) -> tuple[float, int, float, UUID]:
    there = entry.candidate
    return -entry.score, -there.importance, -there.updated_at.timestamp(), there.memory_id
