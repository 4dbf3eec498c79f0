"""How long the oldest candidate waits, in words."""

from __future__ import annotations

import pytest

from memorykit_app.management.commands import memorykit_queue


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "0 min"),
        (0.0035, "5 min"),
        (0.0625, "1 h 30 min"),
        (1, "1.0 days"),
        (12.34, "12.3 days"),
    ],
)
def test_an_age_is_told_in_the_unit_that_fits(days, words):
    assert memorykit_queue._age(days) == words
