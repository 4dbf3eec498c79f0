"""Phrases: parts of speech of planted instructions in order, found in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_


@dataclass(frozen=True, slots=True)
class Phrase:
    """A rule and its parts in order: each with how far behind the one before it may start.

    `ordered` asks for the first part to stand where an order begins.
    """

    rule: str
    steps: tuple[tuple[int, int], ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The words of a text that play a part: which, from where to where, and what ends a phrase."""

    masks: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    stop: int


@dataclass(frozen=True, slots=True)
class Sign:
    """A rule that a text met, and the character where."""

    rule: str
    at: int


def phrases(
    bits: Mapping[str, int], rule: str, lines: str, *, ordered: bool = False
) -> Iterator[Phrase]:
    """Yield the phrases of a rule, one a line: parts by name, before each its reach, else 1."""
    for line in lines.strip().splitlines():
        steps = []
        for reach, names in re.findall(r"(\d*)([a-z_|]+)", line):
            mask = reduce(or_, (bits[name] for name in names.split("|")))
            steps.append((int(reach or 1), mask))
        yield Phrase(rule, tuple(steps), ordered)


def matches(wanted: Sequence[Phrase], row: Row) -> Iterator[tuple[Phrase, int, int]]:
    """Yield each phrase with the places of its first and last word.

    Takes time linear in the row: a phrase reaches over a bounded number of words.
    """
    seen = reduce(or_, set(row.masks), 0)
    active = [phrase for phrase in wanted if all(seen & part for _, part in phrase.steps)]
    first = reduce(or_, (phrase.steps[0][1] for phrase in active), 0)
    places = [(at, mask) for at, mask in enumerate(row.masks) if mask & first]
    for phrase in active:
        for at, mask in places:
            if mask & phrase.steps[0][1]:
                end = _end(phrase, row, at)
                if end is not None:
                    yield phrase, at, end


def _end(phrase: Phrase, row: Row, at: int) -> int | None:
    here, count = at, len(row.masks)
    for reach, part in phrase.steps[1:]:
        limit = row.ends[here] + reach
        after = here + 1
        while True:
            if after >= count or row.starts[after] >= limit:
                return None
            mask = row.masks[after]
            if mask & part:
                break
            if mask & row.stop:
                return None
            after += 1
        here = after
    return here
