"""A statement: what one rule read in one sentence, before dates, authority and repeats."""

from __future__ import annotations

from dataclasses import dataclass

from memorykit_app.domain.states import Kind

# Confidence of a fact that no firm word carries.
UNSURE = 0.6


@dataclass(frozen=True, slots=True)
class Statement:
    """`words` stand at `start` of their sentence; importance is 0..100, confidence 0..1.

    `about` is the subject that an earlier clause named, put before the words.
    `explicit` means that someone asked to remember it, `taste` that it is a preference.
    """

    kind: Kind
    key: str
    words: str
    start: int
    importance: int
    confidence: float
    explicit: bool = False
    taste: bool = False
    about: str = ""
