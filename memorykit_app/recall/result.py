"""What recall answers: items in order, what degraded, and what did not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallItem:
    """One active, effective record as it is served.

    `score` is comparable within one policy, and 0..1 under a calibrated one. `ranks` holds the
    rank, from 1, in each channel that found it; it is empty for a record that is here for its
    place beside a hit. `tokens` is what the item costs of the budget.
    """

    memory_id: UUID
    version: int
    kind: str
    key: str
    content: str = field(repr=False)
    score: float
    ranks: Mapping[str, int]
    tokens: int
    valid_from: datetime
    valid_until: datetime | None
    provenance: str
    pinned: bool
    source_refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A record that was good enough but is not among the items.

    `reason` is `tokens` when it did not fit the budget, `duplicate` when a better one says the
    same.
    """

    memory_id: UUID
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """How one found record came to its place.

    `channel_scores` are the channels' own. `outcome` is `kept` or why it was left out: `items`
    (others were better), `tokens`, `duplicate` or `floor`.
    """

    memory_id: UUID
    score: float
    ranks: Mapping[str, int]
    channel_scores: Mapping[str, float]
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to one question, best first.

    `degraded` names the channels that gave nothing because they failed; `policy` is the
    version that decided the order. Times are milliseconds.
    """

    items: tuple[RecallItem, ...]
    degraded: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    policy: str
    elapsed_ms: float
    explained: tuple[Explained, ...] = ()
