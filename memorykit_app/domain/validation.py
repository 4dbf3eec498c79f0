"""Field rules: what a request may look like before anything is locked or read."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.limits import Limits
from memorykit_app.domain.states import Kind

NOTE_CHARS = 280
_REASON = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


def text(field: str, value: object, *, limit: int, blank: bool = True) -> str:
    """Return the text in NFC. Raises InvalidMemory on NUL, lone surrogates or length."""
    if not isinstance(value, str):
        raise InvalidMemory(field, "must be text")
    if "\0" in value or _SURROGATE.search(value):
        raise InvalidMemory(field, "must not hold NUL or lone surrogates")
    value = unicodedata.normalize("NFC", value)
    if not blank and not value.strip():
        raise InvalidMemory(field, "must not be blank")
    if len(value) > limit:
        raise InvalidMemory(field, f"must have at most {limit} characters")
    return value


def key(value: object, limits: Limits) -> str:
    found = text("key", value, limit=limits.key_chars, blank=False)
    if found != found.strip():
        raise InvalidMemory("key", "must not start or end with space")
    if any(ord(c) < 0x20 or 0x7F <= ord(c) <= 0x9F for c in found):
        raise InvalidMemory("key", "must not hold control characters")
    if len(found.encode()) > limits.key_bytes:
        raise InvalidMemory("key", f"must have at most {limits.key_bytes} bytes")
    return found


def content(value: object, limits: Limits) -> str:
    found = text("content", value, limit=limits.content_chars, blank=False)
    if len(found.encode()) > limits.content_bytes:
        raise InvalidMemory("content", f"must have at most {limits.content_bytes} bytes")
    return found


def moment(field: str, value: object) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidMemory(field, "must be a date and time with its zone")
    return value


def validity(valid_from: datetime, valid_until: datetime | None) -> None:
    moment("valid_from", valid_from)
    if valid_until is not None and moment("valid_until", valid_until) <= valid_from:
        raise InvalidMemory("valid_until", "must be later than valid_from")


def importance(value: object) -> int:
    if type(value) is not int or not 0 <= value <= 100:
        raise InvalidMemory("importance", "must be a whole number from 0 to 100")
    return value


def confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidMemory("confidence", "must be a number from 0 to 1")
    if not math.isfinite(value) or not 0 <= value <= 1:
        raise InvalidMemory("confidence", "must be a number from 0 to 1")
    return float(value)


def sources(values: Sequence[SourceRef], limits: Limits) -> tuple[SourceRef, ...]:
    """Return the sources in canonical order (kind, ref). Raises InvalidMemory."""
    if len(values) > limits.sources:
        raise InvalidMemory("sources", f"must be at most {limits.sources}")
    for source in values:
        text("sources.kind", source.kind, limit=64, blank=False)
        text("sources.ref", source.ref, limit=limits.metadata_chars, blank=False)
        text("sources.evidence_hash", source.evidence_hash, limit=limits.metadata_chars)
        text("sources.quote", source.quote, limit=limits.quote_chars)
    if len({(source.kind, source.ref) for source in values}) != len(values):
        raise InvalidMemory("sources", "must not name the same kind and ref twice")
    return tuple(sorted(values, key=lambda source: (source.kind, source.ref)))


def draft(value: Draft, limits: Limits) -> Draft:
    """Return the draft with its texts in NFC and its sources sorted. Raises InvalidMemory."""
    if not isinstance(value.kind, Kind):
        raise InvalidMemory("kind", f"must be one of {', '.join(Kind)}")
    if value.valid_from is not None:
        validity(value.valid_from, value.valid_until)
    elif value.valid_until is not None:
        moment("valid_until", value.valid_until)
    return Draft(
        kind=value.kind,
        key=key(value.key, limits),
        content=content(value.content, limits),
        valid_from=value.valid_from,
        valid_until=value.valid_until,
        importance=importance(value.importance),
        confidence=confidence(value.confidence),
        sources=sources(value.sources, limits),
        flags=tuple(sorted(set(value.flags))),
    )


def reason(value: object) -> str:
    """Return a reason code, or blank. Free text belongs into the note."""
    if value == "":
        return ""
    if not isinstance(value, str) or not _REASON.match(value):
        raise InvalidMemory("reason", "must be a code such as not_in_source; words go to note")
    return value


def note(value: object) -> str:
    return text("note", value, limit=NOTE_CHARS)


def identity(value: object) -> UUID:
    if not isinstance(value, UUID):
        raise InvalidMemory("id", "must be a UUID")
    return value


def expected_version(value: object) -> int:
    if type(value) is not int or value < 1:
        raise InvalidMemory("expected_version", "must be a whole number above 0")
    return value
