"""Transcripts: taken in with their extraction job, read by it, and gone soon after."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Concat

from memorykit_app import conf
from memorykit_app.domain import identity, transcript_format, validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import Conflict
from memorykit_app.domain.messages import Message
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import Job, JobKind, JobState, Source, Transcript, access, sealed
from memorykit_app.services import jobs, scopes
from memorykit_app.services.faults import guarded

KIND = "transcript"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A transcript that was taken in; `replayed` when this run was submitted before."""

    job_id: UUID
    state: str
    message_count: int
    replayed: bool


def ref_of(transcript_id: UUID) -> str:
    return f"{KIND}:{transcript_id}"


def id_of(kind: str, ref: str) -> UUID | None:
    """Return the transcript that a source points to, or None when it points elsewhere."""
    if kind != KIND:
        return None
    try:
        return UUID(ref.removeprefix(f"{KIND}:"))
    except ValueError:
        return None


@guarded
def submit(
    data: bytes,
    *,
    scope: Scope,
    by: Principal,
    now: datetime,
    run_id: str = "",
) -> Submitted:
    """Store a finished transcript and its extraction job in one transaction.

    The same run (by default: the same messages) is the same job, whatever became of it.
    Raises InvalidTranscript, InvalidMemory, AccessDenied, ScopeClosed, or Conflict when the
    run was submitted with other messages.
    """
    limits = conf.settings().limits
    validation.text("run_id", run_id, limit=limits.metadata_chars)
    messages = transcript_format.parse(data, limits=limits)
    canonical = transcript_format.canonical(messages)
    with sealed(scope):
        access.authorize(by, access.PROPOSE, scope)
        record = scopes.ensure(scope, now=now)
        text = json.dumps(canonical, sort_keys=True)
        run = scopes.digest(record, "run", run_id or text)
        job_id = identity.extraction_job_id(scope.id, run)
        known = Job.objects.filter(pk=job_id).first()
        if known is not None:
            kept = Transcript.objects.in_scope(scope).filter(pk=known.target_id).first()
            if kept is not None and kept.messages != canonical:
                raise Conflict("this run was submitted with other messages")
            return Submitted(
                job_id=job_id, state=known.state, message_count=len(messages), replayed=True
            )
        Transcript.objects.in_scope(scope).bulk_create(
            [
                Transcript(
                    id=job_id,
                    scope_id=scope.id,
                    messages=canonical,
                    message_count=len(messages),
                    source_agent_id=by.actor,
                    created_at=now,
                )
            ],
            ignore_conflicts=True,
        )
        jobs.enqueue(kind=JobKind.EXTRACT, scope_id=scope.id, target_id=job_id, job_id=job_id)
        return Submitted(
            job_id=job_id,
            state=JobState.PENDING.value,
            message_count=len(messages),
            replayed=False,
        )


def read(transcript_id: UUID, scope: Scope) -> list[Message] | None:
    """Return the messages, or None when the transcript is gone."""
    row = Transcript.objects.in_scope(scope).filter(pk=transcript_id).first()
    return None if row is None else transcript_format.from_canonical(row.messages)


def sweep(scope: Scope, *, now: datetime) -> int:
    """Delete the transcripts of one scope that are decided or too old; return how many.

    Decided: its job is finished, no candidate points to it, and the time to undo is over.
    """
    settings = conf.settings()
    settled = now - timedelta(seconds=settings.undo_seconds)
    oldest = now - timedelta(days=settings.transcript_days)
    with sealed(scope):
        rows = Transcript.objects.in_scope(scope)
        old = rows.filter(created_at__lt=oldest)
        open_jobs = Job.objects.filter(
            target_id=OuterRef("pk"), state__in=[JobState.PENDING.value, JobState.LEASED.value]
        )
        in_review = _sources(scope).filter(memory__state=State.CANDIDATE.value)
        lately = _sources(scope).filter(memory__updated_at__gte=settled)
        decided = rows.filter(
            ~Exists(open_jobs), ~Exists(in_review), ~Exists(lately), created_at__lt=settled
        )
        return old.delete()[0] + decided.delete()[0]


def _sources(scope: Scope) -> QuerySet[Source]:
    pointer = Concat(Value(f"{KIND}:"), Cast(OuterRef("pk"), CharField()))
    return Source.objects.in_scope(scope).filter(kind=KIND, ref=pointer)
