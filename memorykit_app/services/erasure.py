"""Erase: take every word of a memory out of all that this system writes; say what went."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from django.db.models import F, Func
from uuid6 import uuid7

from memorykit_app import backends
from memorykit_app.domain import identity
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import (
    Embedding,
    ErasureReceipt,
    Feedback,
    Fingerprint,
    Job,
    JobState,
    Memory,
    Revision,
    ScopeRecord,
    Source,
    Term,
    Transcript,
    access,
    sealed,
)
from memorykit_app.services import content as content_check
from memorykit_app.services import lifecycle, rows, scopes, transcripts
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

Snapshot = dict[str, Any]


@guarded
def erase(memory_id: UUID, asked: Command) -> ErasureReceipt:
    """Scrub a memory for good and return its content-free receipt.

    A repeated erase returns the first receipt and writes nothing. Raises MemoryNotFound,
    AccessDenied, StaleVersion, or MemoryHeld while a hold stands.
    """
    with sealed(asked.scope):
        memory = lifecycle.locked(memory_id, asked.scope)
        if memory.state == State.ERASED:
            access.authorize(asked.by, Verb.ERASE.value, asked.scope, lifecycle.target_of(memory))
            return ErasureReceipt.objects.in_scope(asked.scope).get(memory_id=memory.pk)
        step = lifecycle.checked(memory, Verb.ERASE, asked)
        snapshots = _snapshots([memory.pk], asked.scope)
        digests = _digests(snapshots, asked.scope)
        counts = _scrub_children(memory, snapshots, asked.scope)
        counts["memory"] = 1
        lifecycle.write(
            memory,
            step,
            asked,
            sources=[],
            key="",
            content="",
            content_hash="",
            source_agent_id="",
            flags=[],
            pinned=False,
        )
        counts["revision"] = _redact(memory, asked.scope)
        receipt = write_receipt(
            memory.pk,
            counts,
            scope=asked.scope,
            by=asked.by,
            reason=asked.reason,
            now=asked.now,
        )
        _block(receipt, digests, asked.scope)
        backends.observer().notify("memory.erased", {"memory": str(memory.pk)})
        return receipt


def preview(memory_id: UUID, *, scope: Scope, by: Principal) -> dict[str, int]:
    """Count what an erase of this memory would take away, per table; nothing is written."""
    with sealed(scope):
        memory = lifecycle.locked(memory_id, scope)
        access.authorize(by, Verb.ERASE.value, scope, lifecycle.target_of(memory))
        if memory.state == State.ERASED:
            return {}
        mine = {"memory_id": memory.pk}
        return {
            "memory": 1,
            "source": Source.objects.in_scope(scope).filter(**mine).count(),
            "revision": Revision.objects.in_scope(scope).filter(**mine).count(),
            "term": Term.objects.in_scope(scope).filter(**mine).count(),
            "embedding": Embedding.objects.in_scope(scope).filter(**mine).count(),
            "feedback": Feedback.objects.in_scope(scope).filter(**mine).count(),
            "transcript": len(transcript_ids([memory.pk], scope)),
        }


def _snapshots(memory_ids: Sequence[UUID], scope: Scope) -> list[Snapshot]:
    """Return what memories were after each change, as far as it was not erased."""
    past = Revision.objects.in_scope(scope).filter(memory_id__in=memory_ids, content_erased=False)
    return list(past.values_list("snapshot", flat=True))


def _digests(snapshots: Iterable[Snapshot], scope: Scope) -> list[str]:
    """Return the keyed digests of every text in these snapshots."""
    # Not `scopes.ensure`: a closed scope takes erases.
    record = ScopeRecord.objects.get(pk=scope.id)
    return sorted(
        scopes.digest(record, content_check.FINGERPRINT, identity.normalised(text))
        for text in {snapshot["content"] for snapshot in snapshots}
    )


def _block(receipt: ErasureReceipt, digests: list[str], scope: Scope) -> None:
    """Keep these texts from coming back; one whose block was lifted is blocked anew."""
    blocks = Fingerprint.objects.in_scope(scope)
    blocks.bulk_create(
        [
            Fingerprint(
                id=uuid7(),
                scope_id=receipt.scope_id,
                digest=digest,
                receipt=receipt,
                created_at=receipt.created_at,
            )
            for digest in digests
        ],
        ignore_conflicts=True,
    )
    blocks.filter(digest__in=digests).update(lifted_at=None, lifted_by="")


def transcript_ids(memory_ids: Sequence[UUID], scope: Scope) -> list[UUID]:
    """Return the transcripts that the sources of memories, now or in the past, point to."""
    return _pointed_to(_snapshots(memory_ids, scope), scope)


def _pointed_to(snapshots: Iterable[Snapshot], scope: Scope) -> list[UUID]:
    wanted = {
        transcript_id
        for snapshot in snapshots
        for source in snapshot["sources"]
        if (transcript_id := transcripts.id_of(source["kind"], source["ref"])) is not None
    }
    found = Transcript.objects.in_scope(scope).filter(pk__in=wanted)
    return list(found.values_list("pk", flat=True))


def _scrub_children(memory: Memory, snapshots: Iterable[Snapshot], scope: Scope) -> dict[str, int]:
    pointed_to = _pointed_to(snapshots, scope)
    its: LiteralString = "scope_id = %s AND memory_id = %s"
    ids = [scope.id, memory.pk]
    return {
        "transcript": Transcript.objects.in_scope(scope).filter(pk__in=pointed_to).delete()[0],
        "source": rows.delete(Source, its, ids),
        "embedding": rows.delete(Embedding, its, ids),
        "feedback": rows.delete(Feedback, its, ids),
        "term": rows.delete(Term, its, ids),
        "job": rows.delete(
            Job,
            "scope_id = %s AND target_id = ANY(%s) AND state = %s",
            [scope.id, [memory.pk, *pointed_to], JobState.PENDING.value],
        ),
    }


def _redact(memory: Memory, scope: Scope) -> int:
    """Empty the revisions; the database takes from a snapshot what it lets nobody keep."""
    past = Revision.objects.in_scope(scope).filter(memory_id=memory.pk, content_erased=False)
    emptied = Func(F("snapshot"), function="memorykit_redacted")
    return past.update(snapshot=emptied, note="", content_erased=True)


def write_receipt(
    memory_id: UUID | None,
    counts: dict[str, int],
    *,
    scope: Scope,
    by: Principal,
    reason: str,
    now: datetime,
) -> ErasureReceipt:
    """Write a receipt, chained to the one before it in this scope.

    `memory_id` is None for what was erased together. Runs in the caller's sealed transaction.
    """
    lifecycle.advisory_lock(scope, "receipts")
    before = ErasureReceipt.objects.in_scope(scope).order_by("-created_at", "-id").first()
    receipt = ErasureReceipt(
        id=uuid7(),
        scope_id=scope.id,
        memory_id=memory_id,
        counts=counts,
        actor=by.actor,
        reason=reason,
        created_at=now,
        previous_hash=before.hash if before else "",
    )
    receipt.hash = receipt_hash(receipt)
    rows.insert(receipt)
    return receipt


def receipt_hash(receipt: ErasureReceipt) -> str:
    """Return the hex SHA-256 that a receipt must carry, over itself and the one before."""
    body = [
        str(receipt.id),
        str(receipt.scope_id),
        str(receipt.memory_id),
        receipt.counts,
        receipt.actor,
        receipt.reason,
        receipt.created_at.isoformat(),
        receipt.previous_hash,
    ]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
