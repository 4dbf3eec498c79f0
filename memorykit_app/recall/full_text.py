"""Full text in Python: the same rules as the statement's, over texts that no table holds. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Id = TypeVar("Id")


@dataclass(frozen=True, slots=True)
class Text:
    """The weighted terms of a record and the length of its content in bytes.

    `shown` is False for one that counts for how telling a term is and is not found itself.
    """

    terms: Mapping[str, int]
    size: int
    shown: bool = True


def matched_terms(asked: Sequence[str], texts: Mapping[Id, Text]) -> dict[Id, float]:
    """Return how many asked terms each record has, of those with more than half of the best."""
    counts = {
        name: sum(term in text.terms for term in asked)
        for name, text in texts.items()
        if text.shown
    }
    best = max(counts.values(), default=0)
    return {name: float(count) for name, count in counts.items() if count and count * 2 > best}


def bm25(
    asked: Sequence[str], texts: Mapping[Id, Text], *, saturation: float, length: float
) -> dict[Id, float]:
    """Return the BM25 score of each record that has an asked term.

    Lengths count against their mean over all matches.
    """
    telling = {term: _telling(term, texts) for term in asked}
    matches = [
        (name, text, term)
        for name, text in texts.items()
        for term in asked
        if text.shown and term in text.terms
    ]
    usual = sum(text.size for _, text, _ in matches) / (len(matches) or 1)
    scores: dict[Id, float] = {}
    for name, text, term in matches:
        weight = text.terms[term]
        drag = saturation * (1 - length + length * text.size / usual)
        share = telling[term] * weight * (saturation + 1) / (weight + drag)
        scores[name] = scores.get(name, 0.0) + share
    return scores


def possible(asked: Sequence[str], texts: Mapping[Id, Text], *, saturation: float) -> float:
    """Return the score of a record that had every asked term without end."""
    return (saturation + 1) * sum(_telling(term, texts) for term in asked)


def _telling(term: str, texts: Mapping[Id, Text]) -> float:
    holders = sum(term in text.terms for text in texts.values())
    return math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
