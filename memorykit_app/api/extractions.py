"""Extractions over HTTP: a finished transcript in, a durable job out."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Header, Router
from ninja.responses import Status
from pydantic import BaseModel

from memorykit_app import backends, conf
from memorykit_app.api import bodies
from memorykit_app.api.callers import Caller, caller_of
from memorykit_app.api.fields import Identifier
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import AccessDenied
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import JobState
from memorykit_app.services import extraction_outcome, transcripts

router = Router(tags=["extractions"])
_PATH = "/projects/{project}/extractions"
_LINES = "application/x-ndjson"
_MESSAGE: dict[str, Any] = {
    "type": "object",
    "required": ["role", "content"],
    "properties": {
        "role": {
            "type": "string",
            "enum": ["system", "developer", "user", "assistant", "tool", "function"],
        },
        "content": {"anyOf": [{"type": "string"}, {"type": "array", "items": {}}]},
        "name": {"type": ["string", "null"], "pattern": r"^[^\x00-\x1f\x7f]{0,512}$"},
        "created_at": {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "number", "description": "seconds since 1970"},
                {"type": "null"},
            ]
        },
    },
}
_BODY: dict[str, Any] = {
    "required": True,
    "description": "Chat messages, as the common chat APIs export them.",
    "content": {
        bodies.JSON: {"schema": {"type": "array", "minItems": 1, "items": _MESSAGE}},
        _LINES: {"schema": {"type": "string", "description": "One message a line."}},
    },
}


class SubmittedOut(BaseModel):
    """The job that extracts candidates; `replayed` when this run was handed in before."""

    job_id: UUID
    state: JobState
    message_count: int
    replayed: bool


class CandidateOut(BaseModel):
    id: UUID
    status: State
    kind: Kind
    key: str
    version: int


class ExtractionOut(BaseModel):
    """How far a job is. `candidates` are for keys that may review, null for all others."""

    job_id: UUID
    state: JobState
    attempts: int
    failure_code: str
    candidates: list[CandidateOut] | None


@route(
    router,
    "POST",
    _PATH,
    needs=Capability.PROPOSE,
    answers=SubmittedOut,
    status=202,
    body=_BODY,
)
def submit_transcript(
    request: HttpRequest,
    response: HttpResponse,
    project: str,
    idempotency_key: Annotated[
        str | None,
        Header(alias="Idempotency-Key", description="The run: the same run is the same job."),
    ] = None,
) -> Status[SubmittedOut]:
    """Hand in a finished transcript; candidates come out of it for review."""
    caller = caller_of(request)
    most = conf.settings().limits.transcript_bytes
    taken = transcripts.submit(
        bodies.raw(request, bodies.JSON, _LINES, most=most),
        scope=caller.scope,
        by=caller.by,
        now=backends.clock().now(),
        run_id=idempotency_key or "",
    )
    response["Location"] = f"{request.path}/{taken.job_id}"
    submitted = SubmittedOut(
        job_id=taken.job_id,
        state=JobState(taken.state),
        message_count=taken.message_count,
        replayed=taken.replayed,
    )
    return Status(202, submitted)


@route(
    router,
    "GET",
    f"{_PATH}/{{job_id}}",
    needs=Capability.PROPOSE,
    answers=ExtractionOut,
)
def read_extraction(request: HttpRequest, project: str, job_id: Identifier) -> ExtractionOut:
    """Tell how far an extraction is."""
    caller = caller_of(request)
    seen = extraction_outcome.progress(job_id, scope=caller.scope, by=caller.by)
    return ExtractionOut(
        job_id=seen.job_id,
        state=seen.state,
        attempts=seen.attempts,
        failure_code=seen.failure_code,
        candidates=_candidates(job_id, caller),
    )


def _candidates(job_id: UUID, caller: Caller) -> list[CandidateOut] | None:
    try:
        found = extraction_outcome.outcome(job_id, scope=caller.scope, by=caller.by).candidates
    except AccessDenied:
        return None
    return [
        CandidateOut(
            id=memory.pk,
            status=State(memory.state),
            kind=Kind(memory.kind),
            key=memory.key,
            version=memory.version,
        )
        for memory in found
    ]
