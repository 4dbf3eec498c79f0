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

# Written only while the record is active, still has this text, and its scope is open, and while
# the profile is not being dropped. Locked in the order of ids, like all writers.
_UPSERT = """
INSERT INTO memorykit_embedding (
    id, scope_id, memory_id, profile_id, dimension, content_hash, vector, created_at
)
SELECT given.id, memory.scope_id, memory.id, profile.name, %(dimension)s, memory.content_hash,
       given.vector::vector, clock_timestamp()
  FROM unnest(%(ids)s::uuid[], %(memories)s::uuid[], %(hashes)s::text[], %(vectors)s::text[])
       AS given (id, memory_id, content_hash, vector)
  JOIN memorykit_memory AS memory
    ON memory.scope_id = %(scope)s AND memory.id = given.memory_id
   AND memory.state = 'active' AND memory.content_hash = given.content_hash
  JOIN memorykit_profile AS profile
    ON profile.name = %(profile)s AND profile.state <> 'dropping'
 WHERE NOT EXISTS (
       SELECT 1 FROM memorykit_scope AS scope
        WHERE scope.id = memory.scope_id AND scope.closed_at IS NOT NULL
   )
 ORDER BY memory.id
   FOR SHARE OF memory, profile
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

    Jobs that fail are given back or ended one by one; those of a profile that was dropped end
    without a vector. Raises LeaseLost when a lease of a scope was taken; then nothing of that
    scope is written.
    """
    profile = profiles.working(batch[0].profile)
    if profile is None:
        leases.complete(batch, results=0)
        return 0
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
                _Text(lease=wanted[memory_id], content=content, content_hash=content_hash)
                for memory_id, content, content_hash in rows.values_list(
                    "pk", "content", "content_hash"
                )
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
    return len(vector) == dimension and all(map(math.isfinite, vector)) and any(vector)


def _literal(vector: Vector) -> str:
    """Return a vector as text: nine digits hold all of the four bytes that are stored."""
    return "[" + ",".join(["%.9g"] * len(vector)) % tuple(vector) + "]"


def _store(
    scope: Scope,
    held: list[Lease],
    vectors: dict[UUID, Vector],
    hashes: dict[UUID, str],
    profile: Profile,
) -> int:
    """Write the vectors of one scope and complete their jobs in one transaction."""
    # Two leases of one memory are possible, two rows of one memory in a statement are not.
    found = {lease.target_id: lease.job_id for lease in held if lease.job_id in vectors}
    with sealed(scope):
        leases.complete(held, results=1)
        if not found:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(
                _UPSERT,
                {
                    "scope": scope.id,
                    "profile": profile.name,
                    "dimension": profile.dimension,
                    "ids": [uuid7() for _ in found],
                    "memories": list(found),
                    "hashes": [hashes[job_id] for job_id in found.values()],
                    "vectors": [_literal(vectors[job_id]) for job_id in found.values()],
                },
            )
            return int(cursor.rowcount)
