"""Drafts: what someone proposes to remember, before it is a record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memorykit_app.domain.states import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """Where a record comes from.

    `quote` is the exact words; `message_index`, `quote_start` and `quote_end` (characters)
    place them in the transcript named by `ref`.
    """

    kind: str
    ref: str
    evidence_hash: str = ""
    quote: str = ""
    message_index: int | None = None
    quote_start: int | None = None
    quote_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The words of a record: what to remember, for how long, and from where.

    importance is 0..100, confidence 0..1; `flags` are codes for the reviewer.
    """

    kind: Kind
    key: str
    content: str
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    importance: int = 0
    confidence: float = 0.0
    sources: tuple[SourceRef, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedDraft:
    """What an extractor found: a draft with the quote it rests on.

    `message_index` counts from 0 in the transcript; `quote` should stand in that message word
    for word (the service checks, and flags it when it does not).
    """

    kind: Kind
    key: str
    content: str
    quote: str
    message_index: int
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    importance: int = 0
    confidence: float = 0.0
    flags: tuple[str, ...] = ()
