"""Ctrl-C and SIGTERM as a count that the run looks at between its steps."""

from __future__ import annotations

import signal
import time
from types import FrameType

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class RunStoppedError(Exception):
    """Somebody asked the run to end before it was up."""


class Interrupt:
    """Counts requests to stop: one ends things in order, a second one ends the waiting.

    Nothing is raised inside a handler, so no step is cut in half.
    """

    def __init__(self) -> None:
        self.requests = 0

    def listen(self) -> None:
        for number in NUMBERS:
            signal.signal(number, self._count)

    def _count(self, number: int, frame: FrameType | None) -> None:
        self.requests += 1

    @property
    def requested(self) -> bool:
        return self.requests > 0

    @property
    def hurried(self) -> bool:
        return self.requests > 1

    def check(self) -> None:
        """Raise RunStoppedError when somebody asked."""
        if self.requested:
            raise RunStoppedError

    def sleep(self, seconds: float) -> None:
        """Wait, at most until somebody asks."""
        deadline = time.monotonic() + seconds
        while not self.requested and time.monotonic() < deadline:
            time.sleep(min(0.1, seconds))
