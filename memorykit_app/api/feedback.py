"""Feedback over HTTP: a verdict on one record in, and for reviewers how many there are."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from memorykit_app import backends
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import WRONG_TYPE, Body, Identifier
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import MemoryNotFound
from memorykit_app.models import Verdict
from memorykit_app.services import feedback

router = Router(tags=["feedback"])
_PATH = "/projects/{project}/memories/{memory_id}/feedback"


def _verdict(value: Any) -> Verdict:
    if not isinstance(value, str) or value not in Verdict.__members__.values():
        raise PydanticCustomError(WRONG_TYPE, "must be useful, not_useful or wrong")
    return Verdict(value)


class FeedbackBody(Body):
    """What a record was worth."""

    verdict: Annotated[
        Verdict,
        BeforeValidator(_verdict),
        WithJsonSchema({"type": "string", "enum": list(Verdict)}),
    ]


class FeedbackOut(BaseModel):
    memory_id: UUID
    verdict: Verdict


class FeedbackCounts(BaseModel):
    """How many callers gave which verdict last; never who."""

    memory_id: UUID
    useful: int
    not_useful: int
    wrong: int


@route(router, "POST", _PATH, needs=Capability.PROPOSE, answers=FeedbackOut)
def give_feedback(
    request: HttpRequest, project: str, memory_id: Identifier, body: FeedbackBody
) -> FeedbackOut:
    """Say what an active record was worth. A later verdict of the same key replaces this one."""
    caller = caller_of(request)
    verdict = feedback.give(
        memory_id,
        body.verdict,
        scope=caller.scope,
        by=caller.by,
        now=backends.clock().now(),
    )
    return FeedbackOut(memory_id=memory_id, verdict=verdict)


@route(router, "GET", _PATH, needs=Capability.REVIEW, answers=FeedbackCounts)
def count_feedback(request: HttpRequest, project: str, memory_id: Identifier) -> FeedbackCounts:
    """Count the verdicts on one record."""
    caller = caller_of(request)
    found = feedback.counts([memory_id], scope=caller.scope, by=caller.by).get(memory_id)
    if found is None:
        raise MemoryNotFound
    return FeedbackCounts(
        memory_id=memory_id,
        useful=found[Verdict.USEFUL],
        not_useful=found[Verdict.NOT_USEFUL],
        wrong=found[Verdict.WRONG],
    )
