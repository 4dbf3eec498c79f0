"""Cost: the work grows with the text and not with its square, counted and not timed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from memorykit_app.backends.validator_lexicon import BITS
from memorykit_app.backends.validator_phrases import Row, matches, phrases

PHRASES = (
    *phrases(BITS, "a", "drop 6prior 3order"),
    *phrases(BITS, "b", "drop 8all 8all 8order"),
)
SIZES = (500, 1_000, 2_000)


class Counting(Sequence[int]):
    """Masks that count how often they are looked at."""

    def __init__(self, masks: list[int]) -> None:
        self.masks, self.looks = masks, 0

    def __len__(self) -> int:
        return len(self.masks)

    def __getitem__(self, at):
        self.looks += 1
        return self.masks[at]


def looks(parts: tuple[str, ...], size: int) -> int:
    row = [*([BITS[part] for part in parts] * size)[:size], BITS["order"]]
    masks, places = Counting(row), range(size + 2)
    for _ in matches(PHRASES, Row(masks, places, places[1:], BITS["break"])):
        pass
    return masks.looks


@pytest.mark.parametrize(
    "parts", [("drop",), ("drop", "prior"), ("drop", "all"), ("drop", "prior", "order"), ("all",)]
)
def test_twice_the_words_are_at_most_a_little_over_twice_the_looks(parts):
    counts = [looks(parts, size) for size in SIZES]

    for smaller, larger in pairwise(counts):
        assert larger <= 2.1 * smaller


def test_an_address_of_parts_that_do_not_follow_is_no_match():
    row = [BITS["drop"], BITS["break"], BITS["prior"], BITS["order"]]
    places = range(len(row) + 1)

    assert [*matches(PHRASES, Row(row, places, places[1:], BITS["break"]))] == []
