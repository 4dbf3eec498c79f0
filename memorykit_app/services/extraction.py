"""Extraction: a leased job reads a transcript and stores candidates, all of them or none."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from memorykit_app import backends, conf
from memorykit_app.domain import identity
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft, ExtractedDraft, SourceRef
from memorykit_app.domain.errors import (
    BackendError,
    Conflict,
    ContentRefused,
    InvalidMemory,
)
from memorykit_app.domain.messages import Message
from memorykit_app.domain.states import Provenance, State
from memorykit_app.models import FailureCode, Transcript, sealed
from memorykit_app.services import creation, leases, transcripts
from memorykit_app.services.leases import Lease

QUOTE_NOT_FOUND = "quote_not_found"
OUTSIDE_TEXT = "outside_text"
REASON = "model_derived"


def run(lease: Lease) -> int:
    """Work one extraction job; return how many candidates it stored.

    A job that fails is given back or ended with a code; raises LeaseLost when it was taken.
    """
    now = backends.clock().now()
    with sealed(lease.scope):
        messages = transcripts.read(lease.target_id, lease.scope)
    if messages is None:
        leases.fail(lease, FailureCode.SOURCE_READ_FAILED, recoverable=False)
        return 0
    try:
        with leases.heartbeat([lease]):
            drafts = draft(messages, now=now)
    except BackendError as error:
        leases.fail(
            lease,
            FailureCode.CANDIDATE_EXTRACT_FAILED,
            recoverable=error.recoverable,
            retry_after=error.retry_after,
        )
        return 0
    return _store(lease, messages, drafts, now=now)


def draft(messages: list[Message], *, now: datetime) -> list[ExtractedDraft]:
    """Ask the extractor for drafts, without storing any. Raises BackendError."""
    limit = conf.settings().limits.drafts
    found = backends.extractor().extract(messages, now=now, limit=limit)
    if len(found) > limit:
        raise BackendError("extract", recoverable=False)
    return found


def as_draft(found: ExtractedDraft, messages: list[Message], source_ref: str) -> Draft:
    """Return the draft with its quote placed in the transcript, or flagged as not found."""
    flags = set(found.flags)
    message = messages[found.message_index] if found.message_index < len(messages) else None
    start = message.text.find(found.quote) if message and found.quote else -1
    if message is not None and message.outside:
        flags.add(OUTSIDE_TEXT)
    if start < 0:
        flags.add(QUOTE_NOT_FOUND)
    source = SourceRef(
        kind=transcripts.KIND,
        ref=source_ref,
        quote=found.quote[: conf.settings().limits.quote_chars],
        message_index=None if message is None else found.message_index,
        quote_start=None if start < 0 else start,
        quote_end=None if start < 0 else start + len(found.quote),
    )
    return Draft(
        kind=found.kind,
        key=found.key,
        content=found.content,
        valid_from=found.valid_from,
        valid_until=found.valid_until,
        importance=found.importance,
        confidence=found.confidence,
        sources=(source,),
        flags=tuple(sorted(flags)),
    )


def _store(
    lease: Lease, messages: list[Message], found: list[ExtractedDraft], *, now: datetime
) -> int:
    """Write candidates and completion in one transaction. Raises LeaseLost."""
    stored = 0
    with sealed(lease.scope):
        # Under a row lock an erase of this transcript waits, or was first and is seen.
        source = (
            Transcript.objects.in_scope(lease.scope)
            .select_for_update(of=("self",))
            .filter(pk=lease.target_id)
            .first()
        )
        if source is None:
            leases.complete([lease], results=0)
            return 0
        for index, one in enumerate(found):
            proposal = as_draft(one, messages, transcripts.ref_of(lease.target_id))
            stored += _propose(lease, index, proposal, source.source_agent_id, now=now)
        leases.complete([lease], results=stored)
    refused = len(found) - stored
    backends.observer().notify(
        "memory.extracted",
        {"job": str(lease.job_id), "stored": stored, "refused": refused},
    )
    return stored


def _propose(lease: Lease, index: int, proposal: Draft, submitted_by: str, *, now: datetime) -> int:
    """Store one candidate; one that breaks a rule is left out and takes no other along."""
    by = Principal(actor=f"model:{backends.extractor().id}")
    try:
        with transaction.atomic():
            creation.create(
                proposal,
                scope=lease.scope,
                by=by,
                provenance=Provenance.AGENT_EXTRACTED,
                state=State.CANDIDATE,
                memory_id=identity.candidate_id(lease.job_id, index),
                idempotency_key=f"extraction:{lease.job_id}:{index}",
                source_agent_id=submitted_by,
                reason=REASON,
                now=now,
            )
    except (InvalidMemory, ContentRefused, Conflict) as refusal:
        backends.observer().notify(
            "memory.draft_refused", {"job": str(lease.job_id), "code": refusal.code}
        )
        return 0
    return 1
