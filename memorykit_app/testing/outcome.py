"""What came of a call, as one text: what a caller could tell two outcomes apart by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from django.core.management.base import CommandError
from django.db import models
from django.http import HttpResponseBase

from memorykit_app.domain.errors import MemorykitError

_UUID: Final = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b", re.IGNORECASE
)
# What differs between two calls of the same thing: clocks, form tokens, ids of requests.
_PASSING: Final = re.compile(
    r"elapsed_ms\W{1,4}[\d.]+|waiting_seconds\W{1,4}[\d.]+|policy [\w.-]+, \d+ ms|\b\d+ s\b"
    r"|csrfmiddlewaretoken[^>]*>|request_id\W{1,4}[\w-]+"
    r"|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?"
)
_HEADERS: Final = ("Location", "ETag", "Memorykit-Receipt", "Content-Type", "Retry-After")


def told(call: Callable[[], object], given: Iterable[str] = ()) -> str:
    """Make a call and return its outcome: the value with all its fields, or the refusal.

    `given` are texts that the caller brought along; they, ids and times are left out. An error
    that is not memorykit's own passes through.
    """
    try:
        outcome = plain(call())
    except (MemorykitError, CommandError) as error:
        outcome = f"{type(error).__name__}: {error}"
    for text in sorted(filter(None, given), key=len, reverse=True):
        outcome = outcome.replace(text, "<given>")
    return _PASSING.sub("<passing>", _UUID.sub("<id>", outcome))


def plain(value: Any) -> str:
    """Return a value as text, with every field of every record in it."""
    if isinstance(value, models.Model):
        named = {field.attname: getattr(value, field.attname) for field in value._meta.fields}
        return f"{type(value).__name__}{plain(named)}"
    if isinstance(value, HttpResponseBase):
        body = b"".join(value).decode("utf-8", "replace") if _iterable(value) else ""
        headers = {name: value[name] for name in _HEADERS if name in value}
        return f"{value.status_code} {headers} {body}"
    if is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, Mapping):
        return str({str(name): plain(entry) for name, entry in value.items()})
    if isinstance(value, (str, bytes)):
        return str(value)
    if _iterable(value):
        return str([plain(entry) for entry in value])
    return str(value)


def _iterable(value: object) -> bool:
    return hasattr(value, "__iter__")
