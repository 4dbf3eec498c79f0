"""Repeats: whether two statements say the same thing, by words, values and negation."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[a-z0-9][a-z0-9_@'./:-]*[a-z0-9]|[a-z0-9]", re.I)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_SMALL_WORDS = """
a an the to of in on at for and or is are was be it its that this we our team team's
user user's now with by has have will so as from not no never cannot nobody may
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_NOT = re.compile(r"\b(?:not|no|never|cannot|without|nobody|none)\b|n't\b|不|别|没|禁|勿", re.I)


@dataclass(frozen=True, slots=True)
class Gist:
    """The words of a statement, those that carry a value, and whether it denies."""

    words: frozenset[str]
    values: frozenset[str]
    denies: bool

    @classmethod
    def of(cls, text: str) -> Gist:
        latin = (word.lower() for word in _WORD.findall(text))
        words = {word.removesuffix("s") or word for word in latin if word not in _SMALL}
        values = {word for word in words if any(c.isdigit() or c in "-./@:_" for c in word)}
        for run in _HAN.findall(text):
            words.update(run[i : i + 2] for i in range(len(run) - 1))
        return cls(frozenset(words), frozenset(values), _NOT.search(text) is not None)

    def overlap(self, other: Gist) -> float:
        """Return the shared part of the smaller statement, 0..1."""
        smaller = min(len(self.words), len(other.words))
        return len(self.words & other.words) / smaller if smaller else 0.0

    def repeats(self, other: Gist, *, at_least: float) -> bool:
        """Say whether both tell the same: equal values, equal sense, enough shared words."""
        nested = self.values <= other.values or other.values <= self.values
        return nested and self.denies == other.denies and self.overlap(other) >= at_least
