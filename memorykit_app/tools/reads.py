"""Reading tools: search and one record, active and effective ones only, whoever asks."""

from __future__ import annotations

from datetime import datetime

from memorykit_app.domain import untrusted
from memorykit_app.domain.agents import AgentRun
from memorykit_app.domain.errors import InvalidRecallResult, MemoryNotFound
from memorykit_app.domain.states import State
from memorykit_app.models import Entry
from memorykit_app.recall import search as recall_search
from memorykit_app.recall.query import RecallQuery
from memorykit_app.services import explicit_writes, reading, receipts
from memorykit_app.tools import arguments, results
from memorykit_app.tools.results import ToolResult


def search(asked: arguments.Search, run: AgentRun, now: datetime) -> ToolResult:
    query = RecallQuery(
        text=asked.query,
        keys=() if asked.key is None else (asked.key,),
        kinds=tuple(kind.value for kind in asked.kinds or ()),
    )
    answer = recall_search.recall(query, scope=run.scope, by=run.by, now=now)
    receipts.store(
        answer,
        query,
        scope=run.scope,
        by=run.by,
        now=now,
        entry=Entry.TOOLS,
        run_id=run.run_id,
    )
    return results.found(untrusted.records(answer.items))


def read(asked: arguments.Read, run: AgentRun, now: datetime) -> ToolResult:
    try:
        memory, sources = reading.read(asked.memory_id, scope=run.scope, by=run.by, now=now)
    except MemoryNotFound:
        return results.absent()
    # The host may review; its model must not see what only reviewers see.
    over = memory.valid_until is not None and memory.valid_until <= now
    if memory.state != State.ACTIVE or memory.valid_from > now or over:
        return results.absent()
    if not (results.known_kind(memory.kind) and memory.key.strip() and memory.content.strip()):
        raise InvalidRecallResult
    record = untrusted.record(
        memory.pk,
        kind=memory.kind,
        key=memory.key,
        content=memory.content,
        source_refs=[source.ref for source in sources],
    )
    return results.found({"found": True, **record, "version": memory.version})


def status(asked: arguments.Status, run: AgentRun, now: datetime) -> ToolResult:
    try:
        return results.state(asked.memory_id, explicit_writes.status(asked.memory_id, run=run))
    except MemoryNotFound:
        return results.absent()
