"""Revisions: the row after each change, written with it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from uuid6 import uuid7

from memorykit_app.domain.states import Verb
from memorykit_app.models import Memory, Revision, Source
from memorykit_app.services import rows

# What stays of a snapshot when its text is erased; the trigger holds the same list.
CONTENT_FREE = (
    "id",
    "kind",
    "state",
    "left_as",
    "version",
    "importance",
    "confidence",
    "provenance",
    "created_by",
    "pinned",
    "held",
    "valid_from",
    "valid_until",
    "created_at",
    "updated_at",
)
_SOURCE_FIELDS = (
    "kind",
    "ref",
    "evidence_hash",
    "quote",
    "message_index",
    "quote_start",
    "quote_end",
)


def _moment(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def snapshot(memory: Memory, sources: Iterable[Source]) -> dict[str, Any]:
    """Return the whole record as it is now, ready for JSON."""
    return {
        "id": str(memory.id),
        "kind": memory.kind,
        "key": memory.key,
        "content": memory.content,
        "state": memory.state,
        "left_as": memory.left_as,
        "version": memory.version,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "provenance": memory.provenance,
        "source_agent_id": memory.source_agent_id,
        "created_by": memory.created_by,
        "flags": list(memory.flags),
        "pinned": memory.pinned,
        "held": memory.held,
        "valid_from": _moment(memory.valid_from),
        "valid_until": _moment(memory.valid_until),
        "created_at": _moment(memory.created_at),
        "updated_at": _moment(memory.updated_at),
        "sources": [{name: getattr(source, name) for name in _SOURCE_FIELDS} for source in sources],
    }


def redacted(whole: dict[str, Any]) -> dict[str, Any]:
    """Return what an erased snapshot keeps."""
    return {name: whole[name] for name in CONTENT_FREE if name in whole}


def record(
    memory: Memory,
    verb: Verb,
    *,
    sources: Iterable[Source],
    actor: str,
    reason: str,
    note: str,
    now: datetime,
    related_id: UUID | None = None,
) -> Revision:
    """Write the revision of a change that was just made."""
    whole = snapshot(memory, sources)
    erased = verb is Verb.ERASE
    revision = Revision(
        id=uuid7(),
        scope_id=memory.scope_id,
        memory_id=memory.id,
        version=memory.version,
        action=verb.value,
        state=memory.state,
        actor=actor,
        reason=reason,
        note="" if erased else note,
        related_id=related_id,
        snapshot=redacted(whole) if erased else whole,
        content_erased=erased,
        created_at=now,
    )
    rows.insert(revision)
    return revision
