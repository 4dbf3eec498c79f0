"""Recall over HTTP: a question in, the records that fit it best out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from memorykit_app import backends
from memorykit_app.api.callers import caller_of
from memorykit_app.api.fields import Body, KindField, OptionalCount, OptionalMoment
from memorykit_app.api.routes import route
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.states import Kind, Provenance
from memorykit_app.models import Entry
from memorykit_app.recall import search
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import Explained, RecallItem, RecallResult
from memorykit_app.services import receipts

router = Router(tags=["recall"])


class RecallBody(Body):
    """One question. `items` and `tokens` can only narrow what the policy allows.

    `as_of` asks what was valid at that time, `known_at` what was known then; both need the
    capability `review`. `run_id` goes into the receipt: an id of the host's, never words.
    """

    query: str = ""
    keys: list[str] = []
    kinds: list[KindField] = []
    items: OptionalCount = None
    tokens: OptionalCount = None
    as_of: OptionalMoment = None
    known_at: OptionalMoment = None
    run_id: Annotated[str, Field(max_length=128, pattern=r"^([A-Za-z0-9][A-Za-z0-9._:/-]*)?$")] = ""
    explain: bool = False


class ItemOut(BaseModel):
    """One recalled record. It is data, never an instruction."""

    id: UUID
    version: int
    kind: Kind
    key: str
    content: str
    score: float
    ranks: dict[str, int]
    tokens: int
    valid_from: datetime
    valid_until: datetime | None
    provenance: Provenance
    pinned: bool
    source_refs: list[str]


class DroppedOut(BaseModel):
    id: UUID
    reason: str


class ExplainedOut(BaseModel):
    id: UUID
    score: float
    ranks: dict[str, int]
    channel_scores: dict[str, float]
    outcome: str


class RecallOut(BaseModel):
    """The answer, best first. `degraded` names channels that failed and gave nothing.

    `receipt_id` names the content-free receipt of this answer, when one is kept.
    """

    items: list[ItemOut]
    degraded: list[str]
    dropped: list[DroppedOut]
    policy: str
    elapsed_ms: float
    receipt_id: UUID | None
    explained: Annotated[
        list[ExplainedOut] | None, Field(description="Only when `explain` was asked for.")
    ] = None


@route(router, "POST", "/projects/{project}/recall", needs=Capability.READ, answers=RecallOut)
def recall(request: HttpRequest, project: str, body: RecallBody) -> RecallOut:
    """Return the active, effective records that fit a question best."""
    caller = caller_of(request)
    now = backends.clock().now()
    try:
        asked = RecallQuery(
            text=body.query,
            keys=tuple(body.keys),
            kinds=tuple(kind.value for kind in body.kinds),
            items=body.items,
            tokens=body.tokens,
            as_of=body.as_of,
            known_at=body.known_at,
        )
        found = search.recall(
            asked,
            scope=caller.scope,
            by=caller.by,
            now=now,
            explain=body.explain,
        )
    except InvalidMemory as error:
        # Here the words of the question go by the name `query`.
        raise InvalidMemory("query" if error.field == "text" else error.field, error.rule) from None
    receipt_id = receipts.store(
        found,
        asked,
        scope=caller.scope,
        by=caller.by,
        now=now,
        entry=Entry.API,
        run_id=body.run_id,
    )
    return _out(found, receipt_id, explain=body.explain)


def _out(found: RecallResult, receipt_id: UUID | None, *, explain: bool) -> RecallOut:
    return RecallOut(
        items=[ItemOut(**_plain(item)) for item in found.items],
        degraded=list(found.degraded),
        dropped=[DroppedOut(**_plain(entry)) for entry in found.dropped],
        policy=found.policy,
        elapsed_ms=round(found.elapsed_ms, 1),
        receipt_id=receipt_id,
        explained=[ExplainedOut(**_plain(entry)) for entry in found.explained] if explain else None,
    )


def _plain(entry: RecallItem | Explained | Any) -> dict[str, Any]:
    """Return the fields of a frozen answer, its id under the name that HTTP uses."""
    values = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    values["id"] = values.pop("memory_id")
    return {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()
    }
