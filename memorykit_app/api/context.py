"""Context over HTTP: messages in, the same messages with the memory block out."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field, WithJsonSchema

from memorykit_app import backends, projection
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import Body, OptionalCount
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability

router = Router(tags=["context"])
_MESSAGE = {
    "type": "object",
    "required": ["role"],
    "properties": {
        "role": {"type": "string"},
        "content": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {}}, {"type": "null"}]
        },
    },
}
Messages = Annotated[list[dict[str, Any]], WithJsonSchema({"type": "array", "items": _MESSAGE})]


class ContextBody(Body):
    """Chat messages as a model takes them; other fields of a message pass through.

    `metadata` may hold memory.query_tags, memory.query_keys and memory.query_kinds, lists of
    texts that widen or narrow the question; what else begins with `memory.` is dropped. `items`
    and `tokens` can only narrow what the policy allows.
    """

    messages: Messages
    metadata: dict[str, Any] = {}
    items: OptionalCount = None
    tokens: OptionalCount = None
    run_id: Annotated[
        str,
        Field(
            max_length=128,
            pattern=r"^([A-Za-z0-9][A-Za-z0-9._:/-]*)?$",
            description="Goes into the receipt: an id of the host's, never words.",
        ),
    ] = ""


class ContextOut(BaseModel):
    """The messages, one more of them when there are records; an earlier block is taken out.

    `metadata` says under `memory.` what was done. Put `untrusted_context` into the system
    prompt; it never changes, so a provider may cache it.
    """

    messages: Messages
    metadata: dict[str, Any]
    ids: list[UUID]
    degraded: Annotated[
        bool, Field(description="A channel, or all of memory, could not be asked in time.")
    ]
    untrusted_context: str


@route(router, "POST", "/projects/{project}/context", needs=Capability.READ, answers=ContextOut)
def project_context(request: HttpRequest, project: str, body: ContextBody) -> ContextOut:
    """Put what memory has on the last user message into the messages, fenced as data.

    Pinned records always come. When memory cannot be had in time, the messages come back without
    it and `degraded` is true.
    """
    caller = caller_of(request)
    done = projection.project(
        body.messages,
        body.metadata,
        scope=caller.scope,
        by=caller.by,
        now=backends.clock().now(),
        items=body.items,
        tokens=body.tokens,
        run_id=body.run_id,
    )
    return ContextOut(
        messages=done.messages,
        metadata=done.metadata,
        ids=list(done.ids),
        degraded=done.degraded,
        untrusted_context=projection.UNTRUSTED_CONTEXT,
    )
