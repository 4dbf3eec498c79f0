"""Records as they are answered: all that a host may know, and no tenant."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.scope import Scope, SubjectType
from memorykit_app.domain.states import Kind, Provenance, State, Verb
from memorykit_app.models import Memory, Revision


class SourceOut(BaseModel):
    """Where a record comes from; quotes stay with the reviewers."""

    kind: str
    ref: str
    evidence_hash: str


class Record(BaseModel):
    """One record as it is now, its sources by kind and ref. `subject_id` is the project."""

    id: UUID
    subject_type: SubjectType
    subject_id: str
    kind: Kind
    key: str
    status: State
    content: str
    valid_from: datetime
    valid_until: datetime | None
    importance: int
    confidence: float
    provenance: Provenance
    source_agent_id: str
    created_by: str
    flags: list[str]
    pinned: bool
    held: bool
    version: int
    created_at: datetime
    updated_at: datetime
    sources: list[SourceOut]


_OWN = Record.model_fields.keys() - {"subject_type", "subject_id", "status", "sources"}


class RevisionOut(BaseModel):
    """One step in the life of a record; its words are gone when `content_erased`."""

    version: int
    action: Verb
    status: State
    actor: str
    reason: str
    note: str
    related_id: UUID | None
    key: str | None
    content: str | None
    content_erased: bool
    created_at: datetime


def record(memory: Memory, sources: Iterable[SourceRef], scope: Scope) -> Record:
    return Record(
        subject_type=scope.subject_type,
        subject_id=scope.subject_id,
        status=State(memory.state),
        sources=sources_out(sources),
        **{name: getattr(memory, name) for name in _OWN},
    )


def sources_out(sources: Iterable[SourceRef]) -> list[SourceOut]:
    return [
        SourceOut(kind=source.kind, ref=source.ref, evidence_hash=source.evidence_hash)
        for source in sources
    ]


def revision(row: Revision) -> RevisionOut:
    return RevisionOut(
        version=row.version,
        action=Verb(row.action),
        status=State(row.state),
        actor=row.actor,
        reason=row.reason,
        note=row.note,
        related_id=row.related_id,
        key=row.snapshot.get("key"),
        content=row.snapshot.get("content"),
        content_erased=row.content_erased,
        created_at=row.created_at,
    )
