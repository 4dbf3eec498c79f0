"""Diff: what changed between two texts, in the units that a reader reads.

Words for scripts with spaces, single characters for Chinese and Japanese, numbers whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import Indel
from rapidfuzz.fuzz import ratio

#: Longer texts are compared up to here; `Diff.cut` tells.
MAX_CHARS = 8_000

_UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_UNSPACED += "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_TOKEN = re.compile(
    rf"""
    \d+(?:[.,:/\-]\d+)*%?          # 1,200.50  12:30  2026-03-01  50%
    | [{_UNSPACED}]                # one character
    | (?:(?![{_UNSPACED}])[^\W\d_])+(?:['’](?:(?![{_UNSPACED}])[^\W\d_])+)*
    | \s+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


class Change(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text that stayed, came or went."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Diff:
    """Two texts as one row of parts; `cut` when only their beginnings were compared."""

    parts: tuple[Part, ...]
    cut: bool = False

    @property
    def old(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.change is not Change.ADDED)

    @property
    def new(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.change is not Change.REMOVED)

    @property
    def changed(self) -> bool:
        return any(part.change is not Change.SAME for part in self.parts)


def tokens(text: str) -> list[str]:
    """Return the units of a text; joined they are the text."""
    return _TOKEN.findall(text)


def compare(old: str, new: str) -> Diff:
    """Return what changed from `old` to `new`, removals before the additions beside them."""
    cut = max(len(old), len(new)) > MAX_CHARS
    before, after = tokens(old[:MAX_CHARS]), tokens(new[:MAX_CHARS])
    steps = _steps(before, after)
    return Diff(tuple(_parts(_without_crumbs(steps))), cut)


def similarity(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1, white space and case aside."""
    left, right = (" ".join(text.casefold().split()) for text in (one, other))
    return ratio(left[:MAX_CHARS], right[:MAX_CHARS]) / 100


@dataclass(slots=True)
class _Step:
    """Units that stayed, or units that went and came in the same place."""

    same: list[str]
    gone: list[str]
    come: list[str]


def _steps(before: list[str], after: list[str]) -> list[_Step]:
    steps: list[_Step] = []
    for code in Indel.opcodes(before, after):
        gone = before[code.src_start : code.src_end]
        come = after[code.dest_start : code.dest_end]
        if code.tag == "equal":
            steps.append(_Step(gone, [], []))
        elif steps and not steps[-1].same:
            steps[-1].gone += gone
            steps[-1].come += come
        else:
            steps.append(_Step([], gone, come))
    return steps


def _without_crumbs(steps: list[_Step]) -> list[_Step]:
    """Join changes that only a space, a mark or one lone character keeps apart."""
    kept: list[_Step] = []
    for position, step in enumerate(steps):
        last = kept[-1] if kept else None
        between = 0 < position < len(steps) - 1
        if last is not None and not last.same:
            if step.same and between and _is_crumb(step.same):
                last.gone += step.same
                last.come += step.same
                continue
            if not step.same:
                last.gone += step.gone
                last.come += step.come
                continue
        kept.append(step)
    return kept


def _is_crumb(units: list[str]) -> bool:
    text = "".join(units)
    if not any(character.isalnum() for character in text):
        return "\n" not in text and len(text) <= 2
    return len(text) == 1 and not text.isascii()


def _parts(steps: Iterable[_Step]) -> Iterator[Part]:
    for step in steps:
        for change, units in (
            (Change.SAME, step.same),
            (Change.REMOVED, step.gone),
            (Change.ADDED, step.come),
        ):
            if units:
                yield Part(change, "".join(units))
