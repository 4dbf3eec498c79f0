"""Retries: when a call is made again, and how long to wait before. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memorykit_client.errors import ClientError, NoAnswer, TooManyCalls, Unavailable

_FIRST_WAIT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """At most `attempts` tries in all, none after a wait of more than `longest_wait` seconds."""

    attempts: int = 3
    longest_wait: float = 10.0

    def wait(self, error: ClientError, attempt: int, *, repeatable: bool) -> float | None:
        """Return the seconds before the next try, or None when the error is the end.

        `attempt` counts from 1. A call beyond the rate was not made, so any may be made again;
        after no answer or a 503 only those that are `repeatable`, whose second try does no more.
        """
        again = isinstance(error, TooManyCalls) or (
            repeatable and isinstance(error, Unavailable | NoAnswer)
        )
        if not again or attempt >= self.attempts:
            return None
        named = error.retry_after if isinstance(error, TooManyCalls | Unavailable) else None
        seconds = _FIRST_WAIT * 2 ** (attempt - 1) if named is None else named
        return seconds if seconds <= self.longest_wait else None


def seconds_in(header: str | None) -> float | None:
    """Return the seconds of a Retry-After, or None for none, a date, or no number."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
