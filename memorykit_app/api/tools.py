"""Tools over HTTP: what a model may be offered, and one route to call each."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field, WithJsonSchema, create_model

from memorykit_app import backends
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import Body
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.tools import TOOLS, AgentRun, Result, Tool, Toolbox, offered

router = Router(tags=["tools"])
_PATH = "/projects/{project}/tools"
_ID = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"
_RUN = "The host's opaque id of this run; kept in the history, so no name or address."
_USER = "The host's opaque id of the user the model acts for; the same holds."
Documents = Annotated[
    list[dict[str, Any]], WithJsonSchema({"type": "array", "items": {"type": "object"}})
]


class ToolsOut(BaseModel):
    """The tools that this key may offer to a model, in the formats of two chat APIs."""

    openai: Documents
    anthropic: Documents


class ToolOut(BaseModel):
    """What one call gave. Pass `model_text` to the model, `user_text` to a person.

    `result` tells what became of a write. When `write_failed` is true, or a writing tool answers
    with a problem, keep that for the run: a model that then says that it saved something lies.
    """

    model_text: str
    user_text: str
    is_error: bool
    result: Annotated[Result | None, Field(description="Null for tools that do not write.")]
    code: str
    write_failed: bool


@route(router, "GET", _PATH, needs=Capability.READ, answers=ToolsOut)
def list_tools(request: HttpRequest, project: str) -> ToolsOut:
    """List the tools; those that write need the capability `write_explicit`."""
    caller = caller_of(request)
    intent = Capability.WRITE_EXPLICIT in caller.by.capabilities
    found = offered(caller.by, write_intent=intent)
    return ToolsOut(
        openai=[tool.openai() for tool in found],
        anthropic=[tool.anthropic() for tool in found],
    )


def _body(tool: Tool) -> type[Body]:
    arguments = Annotated[dict[str, Any], WithJsonSchema(tool.schema)]
    absent: Any = ... if tool.own else ""
    return create_model(
        "".join(part.title() for part in tool.name.split("_")) + "Call",
        __base__=Body,
        __doc__="The arguments as the model wrote them; the rest is the host's own.",
        arguments=(arguments, ...),
        run_id=(Annotated[str, Field(pattern=_ID, description=_RUN)], absent),
        user_id=(Annotated[str, Field(pattern=_ID, description=_USER)], absent),
    )


def _register(tool: Tool) -> None:
    def view(request: HttpRequest, project: str, body: Any) -> ToolOut:
        caller = caller_of(request)
        run = AgentRun(
            scope=caller.scope,
            by=caller.by,
            run_id=body.run_id,
            user_id=body.user_id,
            write_intent=tool.own,
        )
        found = Toolbox(run).call(tool.name, body.arguments, now=backends.clock().now())
        return ToolOut(
            model_text=found.model_text,
            user_text=found.user_text,
            is_error=found.is_error,
            result=found.result,
            code=found.code,
            write_failed=found.write_failed,
        )

    view.__doc__ = tool.description
    view.__annotations__["body"] = _body(tool)
    name = f"call_{tool.name}"
    route(router, "POST", f"{_PATH}/{tool.name}", needs=tool.needs, answers=ToolOut, name=name)(
        view
    )


for _tool in TOOLS:
    _register(_tool)
