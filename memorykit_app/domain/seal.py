"""Seals: the hash chain over what revisions say about themselves, without their content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a seal repeats of its revision: ids, version, action, actor, reason code and time."""

    revision_id: UUID
    memory_id: UUID
    version: int
    action: str
    actor: str
    reason: str
    created_at: datetime


def chained(previous: str, number: int, entry: Entry) -> str:
    """Return the hash of seal `number` as 64 hex digits; `previous` is blank for the first."""
    *parts, moment = astuple(entry)
    # JSON keeps the fields apart: no two different entries give the same bytes.
    told = [previous, number, *map(str, parts), moment.astimezone(UTC).isoformat()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
