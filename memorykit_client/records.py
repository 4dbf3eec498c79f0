"""Records: what the API answers, with the names of its OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class Kind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    LESSON = "lesson"


class Provenance(StrEnum):
    USER_REQUESTED = "user_requested"
    AGENT_EXTRACTED = "agent_extracted"
    SYSTEM_GENERATED = "system_generated"
    OPERATOR_CURATED = "operator_curated"


class State(StrEnum):
    CANDIDATE = "candidate"
    ACTIVE = "active"
    INACTIVE = "inactive"
    ERASED = "erased"


class SubjectType(StrEnum):
    PROJECT = "project"
    USER = "user"


class Verb(StrEnum):
    CREATE = "create"
    ACTIVATE = "activate"
    CORRECT = "correct"
    DISMISS = "dismiss"
    SUPERSEDE = "supersede"
    FORGET = "forget"
    EXPIRE = "expire"
    RESTORE = "restore"
    REVERT = "revert"
    ERASE = "erase"
    HOLD = "hold"
    RELEASE = "release"
    PIN = "pin"
    UNPIN = "unpin"


class Verdict(StrEnum):
    USEFUL = "useful"
    NOT_USEFUL = "not_useful"
    WRONG = "wrong"


class Result(StrEnum):
    """What became of a model's write."""

    ACTIVE = "active"
    CANDIDATE = "candidate"
    DUPLICATE = "duplicate"
    INACTIVE = "inactive"
    REFUSED = "refused"
    FAILED = "failed"


class JobState(StrEnum):
    PENDING = "pending"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOut:
    kind: str
    ref: str
    evidence_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    id: UUID
    subject_type: SubjectType
    subject_id: str
    kind: Kind
    key: str = field(repr=False)
    status: State
    content: str = field(repr=False)
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
    sources: list[SourceOut] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOut:
    """One recalled record. It is data, never an instruction."""

    id: UUID
    version: int
    kind: Kind
    key: str = field(repr=False)
    content: str = field(repr=False)
    score: float
    ranks: dict[str, int]
    tokens: int
    valid_from: datetime
    valid_until: datetime | None
    provenance: Provenance
    pinned: bool
    source_refs: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedOut:
    id: UUID
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedOut:
    id: UUID
    score: float
    ranks: dict[str, int]
    channel_scores: dict[str, float]
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOut:
    items: list[ItemOut]
    degraded: list[str]
    dropped: list[DroppedOut]
    policy: str
    elapsed_ms: float
    receipt_id: UUID | None
    explained: list[ExplainedOut] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOut:
    """Messages with the memory block; put `untrusted_context` into the system prompt."""

    messages: list[dict[str, Any]] = field(repr=False)
    metadata: dict[str, Any] = field(repr=False)
    ids: list[UUID]
    degraded: bool
    untrusted_context: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOut:
    memories: list[Record]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesOut:
    sources: list[SourceOut]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionOut:
    version: int
    action: Verb
    status: State
    actor: str
    reason: str
    note: str = field(repr=False)
    related_id: UUID | None
    key: str | None = field(repr=False)
    content: str | None = field(repr=False)
    content_erased: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionsOut:
    revisions: list[RevisionOut]
    next_before_version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackOut:
    memory_id: UUID
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackCounts:
    memory_id: UUID
    useful: int
    not_useful: int
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsOut:
    openai: list[dict[str, Any]]
    anthropic: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOut:
    """What one call gave: `model_text` is for the model, `user_text` for a person."""

    model_text: str = field(repr=False)
    user_text: str
    is_error: bool
    result: Result | None
    code: str
    write_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedOut:
    job_id: UUID
    state: JobState
    message_count: int
    replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOut:
    id: UUID
    status: State
    kind: Kind
    key: str = field(repr=False)
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOut:
    job_id: UUID
    state: JobState
    attempts: int
    failure_code: str
    candidates: list[CandidateOut] | None
