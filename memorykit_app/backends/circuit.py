"""Circuit: stops asking a part that keeps failing, and tries it again after a rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from threading import Lock


class CircuitState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Circuit:
    """Counts failures in a row: after `failures` of them nothing passes for `rest_seconds`.

    Then one call passes as a probe; its success closes the circuit, its failure opens it for
    another rest. A probe that is never reported is followed by the next one after a rest.
    `clock` counts seconds and never goes back. Raises ValueError for a bound not above 0.
    """

    def __init__(
        self,
        *,
        failures: int = 5,
        rest_seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if failures < 1 or rest_seconds <= 0:
            raise ValueError("failures and rest_seconds must be above 0")
        self._most = failures
        self._rest = rest_seconds
        self._clock = clock
        self._lock = Lock()
        self._state = CircuitState.CLOSED
        self._failed = 0
        self._until = 0.0

    @property
    def state(self) -> CircuitState:
        return self._state

    def enter(self) -> bool:
        """Tell whether a call may be made now; report how it went afterwards."""
        with self._lock:
            if self._state is CircuitState.CLOSED:
                return True
            now = self._clock()
            if now < self._until:
                return False
            self._state = CircuitState.HALF_OPEN
            self._until = now + self._rest
            return True

    def succeeded(self) -> None:
        with self._lock:
            # While open this is an old call, begun before the others failed.
            if self._state is not CircuitState.OPEN:
                self._state = CircuitState.CLOSED
                self._failed = 0

    def failed(self) -> None:
        with self._lock:
            if self._state is CircuitState.OPEN:
                return
            self._failed += 1
            if self._state is CircuitState.HALF_OPEN or self._failed >= self._most:
                self._state = CircuitState.OPEN
                self._until = self._clock() + self._rest
