"""Plain values: copies of what a host hands in, refused when they are more than JSON. Pure."""

from __future__ import annotations

import math
from typing import Any

from memorykit_app.domain.errors import InvalidMemory

_DEPTH = 64


def messages(given: object) -> list[dict[str, Any]]:
    """Return a deep copy of chat messages, each a mapping with a role.

    Raises InvalidMemory when one is not, or holds anything but JSON values.
    """
    if not isinstance(given, list | tuple):
        raise InvalidMemory("messages", "must be a list")
    found = _copy("messages", given, (), 0)
    for entry in found:
        if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
            raise InvalidMemory("messages", "must each be an object with a role")
        if not isinstance(entry.get("content"), str | list | None):
            raise InvalidMemory("messages", "must each have text or a list as content")
    return found  # type: ignore[no-any-return]


def metadata(given: object) -> dict[str, Any]:
    """Return a deep copy of metadata. Raises InvalidMemory."""
    if not isinstance(given, dict):
        raise InvalidMemory("metadata", "must be an object")
    return _copy("metadata", given, (), 0)  # type: ignore[no-any-return]


def _copy(field: str, value: object, around: tuple[int, ...], depth: int) -> Any:
    # Subclasses of these types may do things of their own; only the types themselves are plain.
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise InvalidMemory(field, "must not hold NaN or infinity")
        return value
    if type(value) not in (dict, list, tuple):
        raise InvalidMemory(field, "must hold JSON values only")
    if id(value) in around or depth >= _DEPTH:
        raise InvalidMemory(field, f"must not hold itself or go deeper than {_DEPTH}")
    inside = (*around, id(value))
    if isinstance(value, dict):
        if not all(type(name) is str for name in value):
            raise InvalidMemory(field, "must have text as names")
        return {name: _copy(field, part, inside, depth + 1) for name, part in value.items()}
    assert isinstance(value, list | tuple)
    return [_copy(field, part, inside, depth + 1) for part in value]
