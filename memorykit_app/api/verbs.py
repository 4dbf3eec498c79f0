"""Verbs over HTTP: each a POST with the version that was seen, each a revision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Header, Router
from ninja.responses import Status

from memorykit_app import backends
from memorykit_app.api import records, versions
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import (
    Body,
    Confidence,
    Identifier,
    Importance,
    OptionalCount,
    OptionalMoment,
    Reason,
)
from memorykit_app.api.memories import SourceIn, answer, source_refs
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.states import Verb
from memorykit_app.models import Memory
from memorykit_app.services import correction, erasure, memories
from memorykit_app.services.correction import Correction
from memorykit_app.services.lifecycle import Command

router = Router(tags=["verbs"])
_PATH = "/projects/{project}/memories/{memory_id}"
IfMatch = Annotated[
    str | None, Header(alias="If-Match", description="The ETag that was read, in its quotes.")
]
RECEIPT = "Memorykit-Receipt"


class VerbBody(Body):
    """Which version was seen, and why: `reason` is a code, `note` free words."""

    reason: Reason
    expected_version: OptionalCount = None
    note: str = ""


class CorrectBody(VerbBody):
    """The words that replace the old ones; sources that are not given are gone.

    Without `valid_from` the record keeps its own, without `valid_until` it is open.
    """

    content: str
    importance: Importance
    confidence: Confidence
    valid_from: OptionalMoment = None
    valid_until: OptionalMoment = None
    sources: list[SourceIn] = []


_PLAIN: tuple[tuple[Verb, Capability, Callable[[UUID, Command], Memory], str], ...] = (
    (
        Verb.ACTIVATE,
        Capability.REVIEW,
        memories.activate,
        "Make a candidate active; the active record under its kind and key becomes inactive.",
    ),
    (
        Verb.DISMISS,
        Capability.REVIEW,
        memories.dismiss,
        "Take a candidate out of review without activating it.",
    ),
    (
        Verb.FORGET,
        Capability.WRITE_EXPLICIT,
        memories.forget,
        "Take an active record out of recall; it can be restored.",
    ),
    (
        Verb.RESTORE,
        Capability.REVIEW,
        memories.restore,
        "Bring an inactive record back to the state that it left.",
    ),
    (
        Verb.REVERT,
        Capability.REVIEW,
        memories.revert,
        "Undo a recent activation, and bring back what it replaced.",
    ),
)


def _register(
    verb: Verb, needs: Capability, run: Callable[[UUID, Command], Memory], does: str
) -> None:
    def view(
        request: HttpRequest,
        response: HttpResponse,
        project: str,
        memory_id: Identifier,
        body: VerbBody,
        if_match: IfMatch = None,
    ) -> records.Record:
        return _answer(request, response, run(memory_id, _command(request, body)))

    view.__doc__ = does
    path, name = f"{_PATH}/{verb.value}", verb.value
    route(router, "POST", path, needs=needs, answers=records.Record, name=name)(view)


for _verb in _PLAIN:
    _register(*_verb)


@route(
    router,
    "POST",
    f"{_PATH}/correct",
    needs=Capability.WRITE_EXPLICIT,
    answers=records.Record,
)
def correct(
    request: HttpRequest,
    response: HttpResponse,
    project: str,
    memory_id: Identifier,
    body: CorrectBody,
    if_match: IfMatch = None,
) -> records.Record:
    """Replace the words of a record; its state, kind and key stay."""
    words = Correction(
        content=body.content,
        valid_from=body.valid_from,
        valid_until=body.valid_until,
        importance=body.importance,
        confidence=body.confidence,
        sources=source_refs(body.sources),
    )
    memory = correction.correct(memory_id, _command(request, body), words)
    return _answer(request, response, memory)


@route(
    router,
    "POST",
    f"{_PATH}/erase",
    needs=Capability.ERASE,
    answers=None,
    status=204,
)
def erase(
    request: HttpRequest,
    response: HttpResponse,
    project: str,
    memory_id: Identifier,
    body: VerbBody,
    if_match: IfMatch = None,
) -> Status[None]:
    """Scrub a record for good. The header Memorykit-Receipt names the receipt.

    Repeated, it answers with the first receipt and writes nothing.
    """
    receipt = erasure.erase(memory_id, _command(request, body))
    response[RECEIPT] = str(receipt.pk)
    return Status(204, None)


def _command(request: HttpRequest, body: VerbBody) -> Command:
    caller = caller_of(request)
    return Command(
        scope=caller.scope,
        by=caller.by,
        now=backends.clock().now(),
        expected_version=versions.expected(request, body.expected_version),
        reason=body.reason,
        note=body.note,
    )


def _answer(request: HttpRequest, response: HttpResponse, memory: Memory) -> records.Record:
    versions.mark(response, memory.version)
    return answer(memory, caller_of(request).scope)
