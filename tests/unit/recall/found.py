"""Candidates for tests of the pure parts: small, with what a test says about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from memorykit_app.recall.fusion import Candidate

START = datetime(2031, 1, 1, tzinfo=UTC)


def uid(number: int) -> UUID:
    return UUID(int=number)


def candidate(number: int, *, importance: int = 0, days: int = 0, valid_days: int = 0, **changes):
    fields: dict[str, Any] = {
        "memory_id": uid(number),
        "version": 1,
        "importance": importance,
        "updated_at": START + timedelta(days=days),
        "valid_from": START + timedelta(days=valid_days),
        "ranks": {},
    }
    return Candidate(**(fields | changes))


def numbers(ordered) -> list[int]:
    return [entry.memory_id.int for entry in ordered]
