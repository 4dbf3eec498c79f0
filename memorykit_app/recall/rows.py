"""Rows of the ranks statement, checked: whatever breaks a rule fails closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memorykit_app.domain.errors import InvalidRecallResult
from memorykit_app.recall.calibration import Usual
from memorykit_app.recall.fusion import Beside, Candidate

EXACT, FULL_TEXT, VECTOR, PINNED = "exact", "full_text", "vector", "pinned"
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the channels found together with what stands beside it.

    `pinned` are those that a person pinned, in order, found or not; `degraded` names the
    channels that failed.
    """

    candidates: tuple[Candidate, ...] = ()
    pinned: tuple[Candidate, ...] = ()
    usual: Usual = field(default_factory=Usual)
    degraded: tuple[str, ...] = ()


def found(
    rows: Sequence[Row],
    limits: Mapping[str, int],
    *,
    min_similarity: float,
    degraded: tuple[str, ...],
) -> Found:
    """Return the rows as candidates.

    A vector rank below the least similarity does not count; the others keep their numbers.
    Raises InvalidRecallResult for a rank outside its channel's limit, a channel that was not
    asked, a rank or a record that comes twice, or a score that is no number.
    """
    asking = {row[0]: row[14] for row in rows}
    if len(asking) != len(rows):
        raise InvalidRecallResult
    candidates = []
    pinned: dict[int, Candidate] = {}
    seen: set[tuple[str, int]] = set()
    for row in rows:
        ranked = zip((EXACT, FULL_TEXT, VECTOR, PINNED), row[5:9], strict=True)
        places = {channel: place for channel, place in ranked if place is not None}
        for channel, place in places.items():
            if not 1 <= place <= limits.get(channel, 0) or (channel, place) in seen:
                raise InvalidRecallResult
            seen.add((channel, place))
        candidate = _candidate(row, places, asking, min_similarity)
        candidates.append(candidate)
        if PINNED in places:
            pinned[places[PINNED]] = candidate
    return Found(
        candidates=tuple(entry for entry in candidates if entry.ranks or entry.beside),
        pinned=tuple(pinned[place] for place in sorted(pinned)),
        usual=_usual(rows[0]) if rows else Usual(),
        degraded=degraded,
    )


def _candidate(
    row: Row,
    places: Mapping[str, int],
    asking: Mapping[UUID, bool],
    min_similarity: float,
) -> Candidate:
    memory_id, version, importance, updated_at, valid_from = row[:5]
    text_score, similarity, closeness, seeds, steps = row[9:14]
    mean, spread = row[15:17]
    if similarity is not None:
        # Rounding may put a cosine just outside.
        similarity = _number(similarity, -1.0, 1.0)
    ranks = {name: place for name, place in places.items() if name != PINNED}
    if VECTOR in ranks and (similarity or 0.0) < min_similarity:
        del ranks[VECTOR]
    scores = {EXACT: 1.0} if EXACT in ranks else {}
    if text_score is not None:
        scores[FULL_TEXT] = _number(text_score, 0.0, math.inf)
    if similarity is not None:
        scores[VECTOR] = max(0.0, similarity)
    unusual = 0.0
    if closeness is not None and mean is not None and spread:
        unusual = _number((closeness - mean) / spread, -math.inf, math.inf)
    return Candidate(
        memory_id=memory_id,
        version=version,
        importance=importance,
        updated_at=updated_at,
        valid_from=valid_from,
        ranks=ranks,
        scores=scores,
        unusual=unusual,
        beside=tuple(
            Beside(seed, step, asking.get(seed, False))
            for seed, step in zip(seeds or (), steps or (), strict=True)
        ),
    )


def _usual(row: Row) -> Usual:
    similarity, coherence, size, possible = row[17:21]
    return Usual(
        similarity=similarity or 0.0,
        coherence=coherence or 0.0,
        size=size,
        possible=possible or 0.0,
    )


def _number(value: float, low: float, high: float) -> float:
    if not math.isfinite(value) or not low - 1e-6 <= value <= high + 1e-6:
        raise InvalidRecallResult
    return float(min(max(value, low), high))
