"""One run of an agent: memory into the prompt, tools for the model, a look at what it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from memorykit_app.domain.errors import MemorykitError
from memorykit_app.projection import UNTRUSTED_CONTEXT, project
from memorykit_app.tools import AgentRun, Toolbox, validate_output

MOST_TURNS = 8
Message: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model says: a text, or calls of tools as (id, name, arguments in JSON)."""

    text: str = ""
    calls: list[tuple[str, str, str]] = field(default_factory=list)


Model: TypeAlias = Callable[[list[Message], list[dict[str, Any]]], Reply]


class RunFailed(Exception):
    """The model did not come to an end."""


def answer(asked: str, run: AgentRun, model: Model) -> str:
    """Return the artifact of a run.

    Raises WriteFailed when a write of the model failed, whatever the model says about it,
    RunFailed, and what projection and tools raise.
    """
    metadata: dict[str, Any] = {}
    box = Toolbox(run, metadata)
    projected = project(
        [{"role": "user", "content": asked}],
        scope=run.scope,
        by=run.by,
        now=datetime.now(UTC),
        run_id=run.run_id,
    )
    messages = [{"role": "system", "content": UNTRUSTED_CONTEXT}, *projected.messages]
    for _ in range(MOST_TURNS):
        reply = model(messages, box.openai())
        if not reply.calls:
            validate_output(metadata)
            return reply.text
        messages.append({"role": "assistant", "content": reply.text, "tool_calls": reply.calls})
        for call_id, name, arguments in reply.calls:
            messages.append(
                {"role": "tool", "tool_call_id": call_id, "content": _told(box, name, arguments)}
            )
    raise RunFailed


def _told(box: Toolbox, name: str, arguments: str) -> str:
    try:
        return box.call(name, arguments, now=datetime.now(UTC)).model_text
    except MemorykitError as error:
        # The model may try again; the flag stays up all the same.
        return error.code
