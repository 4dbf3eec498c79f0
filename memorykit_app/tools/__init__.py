"""The agent's verbs: tools for any model, bound by the host to one scope, run and user.

    from memorykit_app.tools import AgentRun, Toolbox, validate_output

    metadata = {}
    run = AgentRun(scope=scope, by=host, run_id="run-7", user_id="u-12", write_intent=True)
    box = Toolbox(run, metadata)
    schemas = box.openai()                     # or box.anthropic(), or box.tools
    result = box.call("search_memory", '{"query": "database"}', now=now)
    model_sees, person_sees = result.model_text, result.user_text
    validate_output(metadata)                  # raises WriteFailed after a failed write

What a model passes is arguments and nothing else: no tool has a field for scope, run or user.
"""

from memorykit_app.domain.agents import AgentRun
from memorykit_app.services.explicit_writes import Result
from memorykit_app.tools.box import Toolbox, ToolNotFound, offered
from memorykit_app.tools.catalogue import TOOLS, Tool
from memorykit_app.tools.output import WRITE_FAILED, WriteFailed, validate_output
from memorykit_app.tools.results import ToolResult

__all__ = [
    "TOOLS",
    "WRITE_FAILED",
    "AgentRun",
    "Result",
    "Tool",
    "ToolNotFound",
    "ToolResult",
    "Toolbox",
    "WriteFailed",
    "offered",
    "validate_output",
]
