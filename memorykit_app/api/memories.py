"""Memories over HTTP: list, one record, its sources and history, and an explicit write."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from memorykit_app import backends, conf
from memorykit_app.api import cursors, records, versions
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import (
    Body,
    Confidence,
    Identifier,
    Importance,
    KindField,
    OptionalKind,
    OptionalMoment,
    OptionalText,
    QueryCount,
    Reason,
)
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Provenance, State
from memorykit_app.models import Memory
from memorykit_app.services import creation, reading
from memorykit_app.services.reading import Place

router = Router(tags=["memories"])
_PATH = "/projects/{project}/memories"


class ListQuery(BaseModel):
    """Which records: `status` other than active needs the capability `review`."""

    status: State = State.ACTIVE
    kind: OptionalKind = None
    key: Annotated[str | None, Field(min_length=1)] = None
    limit: QueryCount = None
    cursor: Annotated[str | None, Field(min_length=1)] = None


class ListOut(BaseModel):
    """A page, newest change first. `next_cursor` gives the next page, null when there is none."""

    memories: list[records.Record]
    next_cursor: str | None


class RevisionsQuery(BaseModel):
    """`before_version` is exclusive."""

    limit: QueryCount = None
    before_version: QueryCount = None


class RevisionsOut(BaseModel):
    """History, newest first. Pass `next_before_version` on as `before_version`."""

    revisions: list[records.RevisionOut]
    next_before_version: int | None


class SourcesOut(BaseModel):
    sources: list[records.SourceOut]


class SourceIn(Body):
    kind: str
    ref: str
    evidence_hash: str = ""


class CreateBody(Body):
    """An explicit write: active at once, valid from now."""

    kind: KindField
    key: str
    content: str
    reason: Reason
    importance: Importance
    confidence: Confidence
    valid_until: OptionalMoment = None
    sources: list[SourceIn] = []
    idempotency_key: OptionalText = None
    note: str = ""


@route(
    router,
    "GET",
    _PATH,
    needs=Capability.READ,
    answers=ListOut,
    query=ListQuery,
)
def list_memories(request: HttpRequest, project: str, asked: Query[ListQuery]) -> ListOut:
    """List records, newest change first."""
    caller = caller_of(request)
    question = (asked.status.value, asked.kind, asked.key)
    limit = asked.limit or conf.settings().limits.list_items
    found = reading.list_memories(
        scope=caller.scope,
        by=caller.by,
        now=backends.clock().now(),
        state=asked.status,
        kind=asked.kind,
        key=asked.key,
        after=cursors.read(asked.cursor, caller.scope, *question) if asked.cursor else None,
        limit=limit,
    )
    following = None
    if len(found) == limit:
        last, _ = found[-1]
        following = cursors.write(Place(last.updated_at, last.pk), caller.scope, *question)
    return ListOut(
        memories=[records.record(memory, sources, caller.scope) for memory, sources in found],
        next_cursor=following,
    )


@route(
    router,
    "GET",
    f"{_PATH}/{{memory_id}}",
    needs=Capability.READ,
    answers=records.Record,
)
def read_memory(
    request: HttpRequest, response: HttpResponse, project: str, memory_id: Identifier
) -> records.Record:
    """Read one record with its sources; the ETag is its version.

    Without the capability `review` only active and effective records are there.
    """
    memory, sources = _read(request, memory_id)
    versions.mark(response, memory.version)
    return records.record(memory, sources, caller_of(request).scope)


@route(
    router,
    "GET",
    f"{_PATH}/{{memory_id}}/sources",
    needs=Capability.READ,
    answers=SourcesOut,
)
def read_sources(request: HttpRequest, project: str, memory_id: Identifier) -> SourcesOut:
    """List where one record comes from, by kind and ref."""
    _, sources = _read(request, memory_id)
    return SourcesOut(sources=records.sources_out(sources))


@route(
    router,
    "GET",
    f"{_PATH}/{{memory_id}}/revisions",
    needs=Capability.REVIEW,
    answers=RevisionsOut,
    query=RevisionsQuery,
)
def list_revisions(
    request: HttpRequest, project: str, memory_id: Identifier, asked: Query[RevisionsQuery]
) -> RevisionsOut:
    """List the history of one record, newest first."""
    caller = caller_of(request)
    found = reading.revisions(
        memory_id,
        scope=caller.scope,
        by=caller.by,
        limit=asked.limit or conf.settings().limits.list_items,
        before_version=asked.before_version or 0,
    )
    oldest = found[-1].version if found else 1
    return RevisionsOut(
        revisions=[records.revision(row) for row in found],
        next_before_version=oldest if oldest > 1 else None,
    )


@route(
    router,
    "POST",
    _PATH,
    needs=Capability.WRITE_EXPLICIT,
    answers=records.Record,
    status=201,
)
def create_memory(
    request: HttpRequest,
    response: HttpResponse,
    project: str,
    body: CreateBody,
    idempotency_key: Annotated[str | None, Header(alias="Idempotency-Key")] = None,
) -> Status[records.Record]:
    """Write an active record; the active one under its kind and key becomes inactive.

    The same idempotency key, in the header or the body, with the same request answers with the
    record as it is now and writes nothing.
    """
    caller = caller_of(request)
    keys = {body.idempotency_key, idempotency_key} - {None}
    if len(keys) > 1:
        raise InvalidMemory("Idempotency-Key", "must agree with idempotency_key")
    memory = creation.create(
        Draft(
            kind=body.kind,
            key=body.key,
            content=body.content,
            valid_until=body.valid_until,
            importance=body.importance,
            confidence=body.confidence,
            sources=source_refs(body.sources),
        ),
        scope=caller.scope,
        by=caller.by,
        provenance=Provenance.USER_REQUESTED,
        now=backends.clock().now(),
        state=State.ACTIVE,
        idempotency_key=next(iter(keys), None) or "",
        reason=body.reason,
        note=body.note,
    )
    versions.mark(response, memory.version)
    response["Location"] = f"{request.path}/{memory.pk}"
    return Status(201, answer(memory, caller.scope))


def answer(memory: Memory, scope: Scope) -> records.Record:
    """Return a record that was just changed as it is answered."""
    return records.record(memory, reading.sources_of(memory, scope=scope), scope)


def source_refs(given: list[SourceIn]) -> tuple[SourceRef, ...]:
    return tuple(
        SourceRef(kind=source.kind, ref=source.ref, evidence_hash=source.evidence_hash)
        for source in given
    )


def _read(request: HttpRequest, memory_id: UUID) -> tuple[Memory, tuple[SourceRef, ...]]:
    caller = caller_of(request)
    return reading.read(memory_id, scope=caller.scope, by=caller.by, now=backends.clock().now())
