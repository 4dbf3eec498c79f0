"""The time one recall has, counted from its start by a clock that never goes back."""

from __future__ import annotations

import math
import time


class Deadline:
    """Counts down `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        self._start = time.monotonic()
        self._end = self._start + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    @property
    def elapsed_ms(self) -> float:
        return (time.monotonic() - self._start) * 1_000

    def statement_ms(self, share: float = 1.0) -> int:
        """Return a share of the time left in whole milliseconds, at least 1: 0 has no end."""
        return max(1, math.floor(self.left * share * 1_000))
