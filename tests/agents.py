"""An agent's run for tests: its host, its toolbox, and what it wrote."""

from __future__ import annotations

import json
from typing import Any

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.tools import AgentRun, Toolbox, ToolResult
from tests.records import NOW, SCOPE

HOST = Principal(
    actor="host:0123456789ab",
    capabilities=frozenset({Capability.READ, Capability.PROPOSE, Capability.WRITE_EXPLICIT}),
)
READER = Principal(actor="host:0123456789ab", capabilities=frozenset({Capability.READ}))


def run(**changes) -> AgentRun:
    fields: dict[str, Any] = {
        "scope": SCOPE,
        "by": HOST,
        "run_id": "run-1",
        "user_id": "u-1",
        "write_intent": True,
    }
    return AgentRun(**(fields | changes))


def call(name: str, metadata: dict | None = None, *, now=NOW, by_run=None, **given) -> ToolResult:
    return Toolbox(by_run or run(), metadata).call(name, given, now=now)


def remember(metadata: dict | None = None, *, now=NOW, by_run=None, **given) -> ToolResult:
    words = {
        "kind": "fact",
        "key": "office.city",
        "content": "The office is in Lisbon.",
        "reason": "The user asked for it.",
    }
    return call("remember_project_memory", metadata, now=now, by_run=by_run, **(words | given))


def told(result: ToolResult):
    """Return what the model reads, parsed."""
    return json.loads(result.model_text)
