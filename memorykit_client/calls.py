"""Calls: one function for each operation of the API. Pure."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

from memorykit_client import records
from memorykit_client.call import Call
from memorykit_client.errors import ToolNotFound
from memorykit_client.records import Kind, State, Verdict

Source = Mapping[str, str]
#: Each tool, and whether its failure sets the flag of the run.
TOOLS: Final[Mapping[str, bool]] = {
    "search_memory": False,
    "read_memory": False,
    "remember_project_memory": True,
    "correct_memory": True,
    "forget_memory": True,
    "memory_feedback": False,
    "review_status": False,
}


def recall(
    query: str = "",
    *,
    keys: Sequence[str] = (),
    kinds: Sequence[Kind | str] = (),
    items: int | None = None,
    tokens: int | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    run_id: str | None = None,
    explain: bool = False,
) -> Call[records.RecallOut]:
    body = _given(
        query=query,
        keys=list(keys),
        kinds=list(kinds),
        items=items,
        tokens=tokens,
        as_of=as_of,
        known_at=known_at,
        run_id=run_id,
        explain=explain,
    )
    return Call(method="POST", path="recall", answers=records.RecallOut, body=body)


def project_context(
    messages: Sequence[Mapping[str, Any]],
    metadata: Mapping[str, Any] | None = None,
    *,
    items: int | None = None,
    tokens: int | None = None,
    run_id: str | None = None,
) -> Call[records.ContextOut]:
    body = _given(
        messages=list(messages), metadata=metadata, items=items, tokens=tokens, run_id=run_id
    )
    return Call(method="POST", path="context", answers=records.ContextOut, body=body)


def list_memories(
    *,
    status: State | str | None = None,
    kind: Kind | str | None = None,
    key: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Call[records.ListOut]:
    query = _texts(status=status, kind=kind, key=key, limit=limit, cursor=cursor)
    return Call(method="GET", path="memories", answers=records.ListOut, query=query)


def create_memory(
    *,
    kind: Kind | str,
    key: str,
    content: str,
    reason: str,
    importance: int,
    confidence: float,
    valid_until: datetime | None = None,
    sources: Sequence[Source] = (),
    note: str | None = None,
    idempotency_key: str | None = None,
) -> Call[records.Record]:
    """Without an idempotency key it gets one of its own, so that it can be tried again."""
    body = _given(
        kind=kind,
        key=key,
        content=content,
        reason=reason,
        importance=importance,
        confidence=confidence,
        valid_until=valid_until,
        sources=[dict(source) for source in sources],
        note=note,
    )
    return Call(
        method="POST",
        path="memories",
        answers=records.Record,
        body=body,
        headers=_idempotent(idempotency_key),
    )


def read_memory(memory_id: UUID | str) -> Call[records.Record]:
    return Call(method="GET", path=_of(memory_id), answers=records.Record)


def read_sources(memory_id: UUID | str) -> Call[records.SourcesOut]:
    return Call(method="GET", path=_of(memory_id, "sources"), answers=records.SourcesOut)


def list_revisions(
    memory_id: UUID | str, *, limit: int | None = None, before_version: int | None = None
) -> Call[records.RevisionsOut]:
    query = _texts(limit=limit, before_version=before_version)
    path = _of(memory_id, "revisions")
    return Call(method="GET", path=path, answers=records.RevisionsOut, query=query)


def activate(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[records.Record]:
    return _verb("activate", memory_id, expected_version, reason, note)


def dismiss(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[records.Record]:
    return _verb("dismiss", memory_id, expected_version, reason, note)


def forget(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[records.Record]:
    return _verb("forget", memory_id, expected_version, reason, note)


def restore(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[records.Record]:
    return _verb("restore", memory_id, expected_version, reason, note)


def revert(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[records.Record]:
    return _verb("revert", memory_id, expected_version, reason, note)


def correct(
    memory_id: UUID | str,
    *,
    expected_version: int,
    reason: str,
    content: str,
    importance: int,
    confidence: float,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    sources: Sequence[Source] = (),
    note: str | None = None,
) -> Call[records.Record]:
    """Sources that are not given are gone."""
    more = _given(
        content=content,
        importance=importance,
        confidence=confidence,
        valid_from=valid_from,
        valid_until=valid_until,
        sources=[dict(source) for source in sources],
    )
    return _verb("correct", memory_id, expected_version, reason, note, more)


def erase(
    memory_id: UUID | str, *, expected_version: int, reason: str, note: str | None = None
) -> Call[None]:
    # A repeated erase writes nothing.
    body = _given(expected_version=expected_version, reason=reason, note=note)
    return Call(method="POST", path=_of(memory_id, "erase"), body=body)


def give_feedback(memory_id: UUID | str, verdict: Verdict | str) -> Call[records.FeedbackOut]:
    return Call(
        method="POST",
        path=_of(memory_id, "feedback"),
        answers=records.FeedbackOut,
        body={"verdict": verdict},
    )


def count_feedback(memory_id: UUID | str) -> Call[records.FeedbackCounts]:
    return Call(method="GET", path=_of(memory_id, "feedback"), answers=records.FeedbackCounts)


def list_tools() -> Call[records.ToolsOut]:
    return Call(method="GET", path="tools", answers=records.ToolsOut)


def call_tool(
    name: str,
    arguments: Mapping[str, Any],
    *,
    run_id: str | None = None,
    user_id: str | None = None,
) -> Call[records.ToolOut]:
    """Raises ToolNotFound. The same words in the same run are one write, so it is repeatable."""
    if name not in TOOLS:
        raise ToolNotFound("there is no such tool")
    body = _given(arguments=dict(arguments), run_id=run_id, user_id=user_id)
    return Call(method="POST", path=f"tools/{name}", answers=records.ToolOut, body=body)


def submit_transcript(
    messages: Sequence[Mapping[str, Any]], *, idempotency_key: str | None = None
) -> Call[records.SubmittedOut]:
    """The idempotency key is the run's id; without one it gets one of its own."""
    return Call(
        method="POST",
        path="extractions",
        answers=records.SubmittedOut,
        body=list(messages),
        headers=_idempotent(idempotency_key),
    )


def read_extraction(job_id: UUID | str) -> Call[records.ExtractionOut]:
    path = f"extractions/{_segment(job_id)}"
    return Call(method="GET", path=path, answers=records.ExtractionOut)


def _verb(
    name: str,
    memory_id: UUID | str,
    expected_version: int,
    reason: str,
    note: str | None,
    more: Mapping[str, Any] | None = None,
) -> Call[records.Record]:
    body = _given(expected_version=expected_version, reason=reason, note=note) | dict(more or {})
    # Done but unanswered, it would be a conflict the second time.
    return Call(
        method="POST",
        path=_of(memory_id, name),
        answers=records.Record,
        body=body,
        repeatable=False,
    )


def _of(memory_id: UUID | str, part: str = "") -> str:
    return f"memories/{_segment(memory_id)}" + (f"/{part}" if part else "")


def _segment(value: UUID | str) -> str:
    text = str(value)
    # Dots alone would walk up the path.
    return quote(text, safe="") if text.strip(".") else "-"


def _given(**values: Any) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None
    }


def _texts(**values: str | int | None) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _idempotent(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4()) if key is None else key}
