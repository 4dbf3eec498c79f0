"""Short id: the part of an id that people read aloud and type."""

from __future__ import annotations

from uuid import UUID

CHARS = 8


def short_id(value: UUID) -> str:
    """Return the last characters of an id: the first ones of a UUIDv7 are only its time."""
    return value.hex[-CHARS:]
