"""Embedding: leased batches become vectors, checked whole before any is written."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from uuid6 import uuid7

from memorykit_app import backends
from memorykit_app.backends.base import Embedder
from memorykit_app.domain.errors import BackendError
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import FailureCode, Memory, Profile, sealed
from memorykit_app.services import leases, profiles
from memorykit_app.services.leases import Lease

# Written only while the record is active, still has this text, and its scope is open.
_UPSERT = """
INSERT INTO memorykit_embedding (
    id, scope_id, memory_id, profile_id, dimension, content_hash, vector, created_at
)
SELECT %(id)s, memory.scope_id, memory.id, %(profile)s, %(dimension)s, memory.content_hash,
       %(vector)s::vector, clock_timestamp()
  FROM memorykit_memory AS memory
 WHERE memory.scope_id = %(scope)s AND memory.id = %(memory)s
   AND memory.state = 'active' AND memory.content_hash = %(hash)s
   AND NOT EXISTS (
       SELECT 1 FROM memorykit_scope AS scope
        WHERE scope.id = memory.scope_id AND scope.closed_at IS NOT NULL
   )
   FOR SHARE
    ON CONFLICT (scope_id, memory_id, profile_id) DO UPDATE
   SET content_hash = EXCLUDED.content_hash,
       vector = EXCLUDED.vector,
       created_at = EXCLUDED.created_at
"""


Vector = list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """The words of one leased job, as they were when it was read."""

    lease: Lease
    content: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class _Failure:
    lease: Lease
    code: FailureCode
    recoverable: bool
    retry_after: float | None = None


def run(batch: Sequence[Lease]) -> int:
    """Work a batch of embedding jobs of one profile; return how many vectors were written.

    Jobs that fail are given back or ended one by one. Raises LeaseLost when a lease of a scope
    was taken; then nothing of that scope is written.
    """
    profile = profiles.ensure(batch[0].profile)
    with leases.heartbeat(batch):
        texts = _read(batch)
        vectors, failures = _embed(backends.embedder(profile.name), texts, profile.dimension)
    for failure in failures:
        leases.fail(
            failure.lease,
            failure.code,
            recoverable=failure.recoverable,
            retry_after=failure.retry_after,
        )
    failed = {failure.lease.job_id for failure in failures}
    by_scope: dict[Scope, list[Lease]] = defaultdict(list)
    for lease in batch:
        if lease.job_id not in failed:
            by_scope[lease.scope].append(lease)
    hashes = {text.lease.job_id: text.content_hash for text in texts}
    return sum(_store(scope, held, vectors, hashes, profile) for scope, held in by_scope.items())


def _read(batch: Sequence[Lease]) -> list[_Text]:
    """Return the texts that still need a vector; a memory that left `active` needs none."""
    by_scope: dict[Scope, dict[UUID, Lease]] = defaultdict(dict)
    for lease in batch:
        by_scope[lease.scope][lease.target_id] = lease
    texts: list[_Text] = []
    for scope, wanted in by_scope.items():
        with sealed(scope):
            rows = Memory.objects.in_scope(scope).filter(pk__in=wanted, state=State.ACTIVE.value)
            texts += [
                _Text(lease=wanted[row.pk], content=row.content, content_hash=row.content_hash)
                for row in rows
            ]
    return texts


def _embed(
    embedder: Embedder, texts: list[_Text], dimension: int
) -> tuple[dict[UUID, Vector], list[_Failure]]:
    """Return a checked vector per job, and the jobs that got none."""
    found: dict[UUID, Vector] = {}
    failures: list[_Failure] = []
    size = max(1, embedder.batch_size)
    waiting = [texts[start : start + size] for start in range(0, len(texts), size)]
    while waiting:
        part = waiting.pop()
        try:
            vectors = embedder.embed_passages([text.content for text in part])
        except BackendError as error:
            if len(part) > 1 and not error.recoverable:
                # One bad text must not take its batch along.
                waiting += [[text] for text in part]
                continue
            failures += [
                _Failure(text.lease, FailureCode.EMBED_FAILED, error.recoverable, error.retry_after)
                for text in part
            ]
            continue
        if len(vectors) != len(part):
            failures += [
                _Failure(text.lease, FailureCode.EMBED_RESULT_INVALID, False) for text in part
            ]
            continue
        for text, vector in zip(part, vectors, strict=True):
            if sound(vector, dimension):
                found[text.lease.job_id] = vector
            else:
                failures.append(_Failure(text.lease, FailureCode.EMBED_RESULT_INVALID, False))
    return found, failures


def sound(vector: Vector, dimension: int) -> bool:
    """Tell whether a vector can be stored and found again: length, finite, not zero."""
    return (
        len(vector) == dimension
        and all(math.isfinite(number) for number in vector)
        and any(number != 0 for number in vector)
    )


def _store(
    scope: Scope,
    held: list[Lease],
    vectors: dict[UUID, Vector],
    hashes: dict[UUID, str],
    profile: Profile,
) -> int:
    """Write the vectors of one scope and complete their jobs in one transaction."""
    written = 0
    with sealed(scope):
        leases.complete(held, results=1)
        with connection.cursor() as cursor:
            for lease in sorted(held, key=lambda lease: lease.target_id):
                vector = vectors.get(lease.job_id)
                if vector is None:
                    continue
                cursor.execute(
                    _UPSERT,
                    {
                        "id": uuid7(),
                        "scope": scope.id,
                        "memory": lease.target_id,
                        "profile": profile.name,
                        "dimension": profile.dimension,
                        "hash": hashes[lease.job_id],
                        "vector": "[" + ",".join(map(repr, vector)) + "]",
                    },
                )
                written += cursor.rowcount
    return written
