"""Strict JSON: bounded, without duplicate keys, non-finite numbers or unstorable text."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

from memorykit_app.domain.errors import MemorykitError

MAX_DEPTH = 32
_INT64 = 2**63
_INT64_DIGITS = 20
# One string, closed or cut off by the end, or one bracket. Possessive, so that it stays linear.
_STRUCTURE = re.compile(r'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Only a name that reads like a field may stand in an error: any other could be content.
_PLAIN_NAME = re.compile(r"[a-z_]{1,32}")


class InvalidJson(MemorykitError):
    """The JSON is not valid.

    `where` is a field such as `messages[3].content` or a place such as `line 2 column 5`;
    it is blank when the whole text is meant. `field` names the field to mend, blank when that
    cannot be said. `line` and `column` count from 1.
    """

    code = "invalid_json"

    def __init__(
        self,
        where: str,
        rule: str,
        *,
        field: str = "",
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(f"{where or 'the JSON text'}: {rule}")
        self.where = where
        self.rule = rule
        self.field = field or ("" if line else where)
        self.line = line
        self.column = column


class _Flaw:
    """Stands where a value broke a rule until the walk, which knows the place, meets it."""

    def __init__(self, rule: str, name: str = "") -> None:
        self.rule = rule
        self.name = name


def loads(data: bytes | str, *, max_bytes: int, max_depth: int = MAX_DEPTH) -> Any:
    """Return the value that `data` holds.

    `max_bytes` bounds the UTF-8 length, `max_depth` the nested arrays and objects. Integers
    must fit 64 bits. Raises InvalidJson, which names the place and never the content.
    """
    text = _decoded(data, max_bytes)
    if not text.strip():
        raise InvalidJson("", "is empty; send one JSON value")
    check_depth(text, max_depth)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=lambda _: _Flaw("NaN and Infinity are not numbers; send null"),
            parse_int=_integer,
            parse_float=_float,
        )
    except json.JSONDecodeError as error:
        raise syntax_error(text, error.pos) from None
    _walk(value, "")
    return value


def check_depth(text: str, max_depth: int = MAX_DEPTH) -> int:
    """Return how many brackets stay open at the end. Raises InvalidJson when too deep."""
    depth = 0
    for found in _STRUCTURE.finditer(text):
        mark = text[found.start()]
        if mark in "[{":
            depth += 1
            if depth > max_depth:
                line, column = _place(text, found.start())
                rule = f"is nested deeper than {max_depth} levels; flatten it"
                raise InvalidJson(f"line {line} column {column}", rule, line=line, column=column)
        elif mark in "]}":
            depth -= 1
    return depth


def syntax_error(text: str, position: int) -> InvalidJson:
    """Return the error for text that is no JSON from `position` on."""
    line, column = _place(text, position)
    return InvalidJson(
        f"line {line} column {column}",
        "is not valid JSON here; check quotes, commas and brackets",
        line=line,
        column=column,
    )


def _place(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


def _decoded(data: bytes | str, max_bytes: int) -> str:
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise InvalidJson("", f"is larger than {max_bytes} bytes; send less")
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        rule = "is not UTF-8; save the text as UTF-8"
        raise InvalidJson(f"line {line}", rule, line=line) from None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    counted = Counter(name for name, _ in pairs)
    twice = next(name for name, count in counted.items() if count > 1)
    return _Flaw("names one field twice; keep one", twice)


def _integer(digits: str) -> Any:
    if len(digits) <= _INT64_DIGITS and -_INT64 <= (value := int(digits)) < _INT64:
        return value
    return _Flaw("is a whole number beyond 64 bits; send it as text")


def _float(digits: str) -> Any:
    value = float(digits)
    return value if math.isfinite(value) else _Flaw("is a number too large; send it as text")


def _walk(value: Any, where: str) -> None:
    if isinstance(value, _Flaw):
        raise InvalidJson(where, value.rule, field=_inner(where, value.name) if value.name else "")
    if isinstance(value, str):
        _check_text(value, where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{where}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name, where, "the name of a field ")
            _walk(item, _inner(where, name))


def _inner(where: str, name: str) -> str:
    shown = name if _PLAIN_NAME.fullmatch(name) else "*"
    return f"{where}.{shown}" if where else shown


def _check_text(text: str, where: str, subject: str = "") -> None:
    if found := _UNSTORABLE.search(text):
        what = "a NUL character" if found.group() == "\0" else "half of a surrogate pair"
        raise InvalidJson(where, f"{subject}holds {what}; remove it")
