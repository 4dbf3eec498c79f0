"""The toolbox: the tools of one run, as the host opened them, and one way to call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from typing import Any, Final

from memorykit_app.domain import validation
from memorykit_app.domain.actors import ActorClass, Principal, actor_class
from memorykit_app.domain.agents import AgentRun
from memorykit_app.domain.errors import BackendError, MemorykitError, Unavailable
from memorykit_app.tools import arguments, output, reads, results, writes
from memorykit_app.tools.catalogue import BY_NAME, TOOLS, Tool
from memorykit_app.tools.results import ToolResult

_RUNS: Final[Mapping[str, Callable[[Any, AgentRun, datetime], ToolResult]]] = {
    "search_memory": reads.search,
    "read_memory": reads.read,
    "remember_project_memory": writes.remember,
    "correct_memory": writes.correct,
    "forget_memory": writes.forget,
    "memory_feedback": writes.judge,
    "review_status": reads.status,
}


class ToolNotFound(MemorykitError):
    """This run has no such tool."""

    code = "tool_not_found"


class Toolbox:
    """The tools that one run may use.

    `metadata` is the run's own: a write that does not come about sets its failure flag there.
    """

    def __init__(self, run: AgentRun, metadata: MutableMapping[str, Any] | None = None) -> None:
        self._run = run
        self._metadata = metadata
        #: What the model is offered, in a fixed order.
        self.tools: tuple[Tool, ...] = offered(run.by, write_intent=run.write_intent)

    def openai(self) -> list[dict[str, Any]]:
        return [tool.openai() for tool in self.tools]

    def anthropic(self) -> list[dict[str, Any]]:
        return [tool.anthropic() for tool in self.tools]

    def call(
        self, name: str, given: str | bytes | Mapping[str, Any], *, now: datetime
    ) -> ToolResult:
        """Run a tool with the arguments as the model wrote them, or parsed.

        What a model can mend or must say is in the result. Raises ToolNotFound, InvalidJson or
        InvalidMemory for arguments that cannot be read, AccessDenied, and what else is broken;
        when a writing tool raises, the flag is set all the same.
        """
        validation.moment("now", now)
        tool = BY_NAME.get(name)
        try:
            if tool not in self.tools:
                raise ToolNotFound
            result = self._result(tool, arguments.parse(tool.shape, given), now)
        except Exception:
            if tool is not None and tool.writes:
                output.flag(self._metadata)
            raise
        if result.write_failed:
            output.flag(self._metadata)
        return result

    def _result(self, tool: Tool, asked: arguments.Arguments, now: datetime) -> ToolResult:
        try:
            return _RUNS[tool.name](asked, self._run, now)
        except Unavailable as fault:
            return results.unreadable(fault.code)
        except BackendError as fault:
            if not fault.recoverable:
                raise
            return results.unreadable(fault.code)


def offered(by: Principal, *, write_intent: bool) -> tuple[Tool, ...]:
    """Return the tools that a host may offer to its model, in a fixed order."""
    host = actor_class(by.actor) is ActorClass.HOST
    return tuple(
        tool
        for tool in TOOLS
        if (write_intent or not tool.own) and (not host or tool.needs in by.capabilities)
    )
