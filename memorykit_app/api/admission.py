"""Admission: how many calls one process serves at once; what is more is told to come back.

Without a bound a burst waits in line until its callers have given up, and is served for nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Condition

from memorykit_app import conf
from memorykit_app.domain.errors import Unavailable


class Admission:
    """Lets `at_once` calls in and keeps `waiting` more in line; refuses the rest at once."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = at_once
        self._places = waiting
        self._changed = Condition()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Hold a place while the block runs. Raises Unavailable when the line is full."""
        self._enter()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify()

    def _enter(self) -> None:
        with self._changed:
            if not self._free:
                if not self._places:
                    raise Unavailable
                self._places -= 1
                try:
                    self._changed.wait_for(lambda: self._free)
                finally:
                    self._places += 1
            self._free -= 1


@lru_cache(maxsize=4)
def _kept(at_once: int, waiting: int) -> Admission:
    return Admission(at_once, waiting)


def admission() -> Admission:
    """Return this process's own, as MEMORYKIT[API] bounds it."""
    settings = conf.settings().api
    return _kept(settings.at_once, settings.waiting)
