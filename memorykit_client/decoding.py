"""Decoding: JSON values into records, each field by its type; unknown fields are left alone."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

T = TypeVar("T")


class NotUnderstood(Exception):
    """A value is not of the type that the API promises."""


def decode(shape: type[T], value: Any) -> T:
    """Return a record of this shape. Raises NotUnderstood."""
    found: T = _read(shape, value)
    return found


def _read(shape: Any, value: Any) -> Any:
    if shape is Any:
        return value
    if isinstance(shape, UnionType):
        inner = next(part for part in get_args(shape) if part is not NoneType)
        return None if value is None else _read(inner, value)
    if get_origin(shape) is list:
        return [_read(get_args(shape)[0], part) for part in _plain(list, value)]
    if get_origin(shape) is dict:
        return {name: _read(get_args(shape)[1], part) for name, part in _plain(dict, value).items()}
    if is_dataclass(shape):
        return _record(shape, _plain(dict, value))
    if shape is float and type(value) is int:
        return float(value)
    if shape in (str, int, float, bool):
        return _plain(shape, value)
    return _parsed(shape, _plain(str, value))


def _parsed(shape: Any, text: str) -> Any:
    try:
        if shape is UUID:
            return UUID(text)
        if shape is datetime:
            return datetime.fromisoformat(text)
        assert issubclass(shape, StrEnum)
        return shape(text)
    except ValueError:
        raise NotUnderstood from None


def _plain(kind: Any, value: Any) -> Any:
    if type(value) is not kind:
        raise NotUnderstood
    return value


def _record(shape: Any, given: dict[str, Any]) -> Any:
    hints = _hints(shape)
    values = {}
    for one in fields(shape):
        if one.name in given:
            values[one.name] = _read(hints[one.name], given[one.name])
        elif one.default is MISSING:
            raise NotUnderstood
    return shape(**values)


@cache
def _hints(shape: Any) -> dict[str, Any]:
    return get_type_hints(shape)
