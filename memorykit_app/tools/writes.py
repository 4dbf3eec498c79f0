"""Writing tools: each ends as active, candidate, duplicate, inactive, refused or failed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memorykit_app.domain.agents import AgentRun
from memorykit_app.domain.errors import (
    BackendError,
    Conflict,
    ContentRefused,
    InvalidMemory,
    MemoryNotFound,
    Unavailable,
)
from memorykit_app.services import explicit_writes, feedback
from memorykit_app.services.explicit_writes import Result, Words, Written
from memorykit_app.tools import arguments, results
from memorykit_app.tools.results import ToolResult

# Broken bounds of these are a refusal of the words; all else is a call that cannot be read.
_WORDS = frozenset({"key", "content", "note"})


def remember(asked: arguments.Remember, run: AgentRun, now: datetime) -> ToolResult:
    _later(asked.valid_until, now)
    words = Words(
        kind=asked.kind,
        key=asked.key,
        content=asked.content,
        why=asked.reason,
        valid_until=asked.valid_until,
    )
    return _told(lambda: explicit_writes.remember(words, run=run, now=now))


def correct(asked: arguments.Correct, run: AgentRun, now: datetime) -> ToolResult:
    _later(asked.valid_until, now)
    return _told(
        lambda: explicit_writes.correct(
            asked.memory_id,
            asked.content,
            why=asked.reason,
            expected_version=asked.version,
            valid_until=asked.valid_until,
            run=run,
            now=now,
        )
    )


def forget(asked: arguments.Forget, run: AgentRun, now: datetime) -> ToolResult:
    return _told(
        lambda: explicit_writes.forget(
            asked.memory_id, asked.version, asked.reason, run=run, now=now
        )
    )


def judge(asked: arguments.Judge, run: AgentRun, now: datetime) -> ToolResult:
    try:
        verdict = feedback.give(
            asked.memory_id,
            asked.verdict,
            scope=run.scope,
            by=run.by,
            now=now,
            actor=run.actor if run.user_id else "",
        )
    except MemoryNotFound:
        return results.absent()
    return results.judged(asked.memory_id, verdict)


def _told(write: Callable[[], Written]) -> ToolResult:
    try:
        return results.written(write())
    except (ContentRefused, Conflict, MemoryNotFound) as refusal:
        return results.not_saved(Result.REFUSED, refusal.code)
    except InvalidMemory as refusal:
        if refusal.field not in _WORDS:
            raise
        return results.not_saved(Result.REFUSED, refusal.code)
    except Unavailable as fault:
        return results.not_saved(Result.FAILED, fault.code)
    except BackendError as fault:
        if not fault.recoverable:
            raise
        return results.not_saved(Result.FAILED, fault.code)


def _later(valid_until: datetime | None, now: datetime) -> None:
    if valid_until is not None and valid_until <= now:
        raise InvalidMemory("arguments.valid_until", "must be later than now")
