"""Doubles for tests: exact, quick and refused by the deploy check."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from memorykit_app.backends.base import Authorizer, Clock, Embedder, Observer, Target
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.terms import weighted_terms


class HashingEmbedder(Embedder):
    """Folds each term into one of `dimension` signed buckets: shared words make near vectors.

    Raises ValueError for a dimension below 8.
    """

    for_tests = True
    batch_size = 64

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 8:
            raise ValueError("dimension must be at least 8")
        self.dimension = dimension

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for term, weight in weighted_terms("", text).items():
            digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
            bucket = int.from_bytes(digest[:4]) % self.dimension
            vector[bucket] += weight if digest[4] & 1 else -weight
        length = math.sqrt(sum(number * number for number in vector))
        if length == 0:
            # Text without a word, or words that cancel out: still a unit vector.
            return [1.0] + [0.0] * (self.dimension - 1)
        return [number / length for number in vector]


class AllowAll(Authorizer):
    for_tests = True
    asks_this_database = True

    def allows(self, principal: Principal, verb: str, scope: Scope, target: Target) -> bool:
        return True


class FixedClock(Clock):
    """Stands still at `at`, an ISO 8601 time. Raises ValueError for anything else."""

    for_tests = True

    def __init__(self, at: str) -> None:
        self._at = datetime.fromisoformat(at).astimezone(UTC)

    def now(self) -> datetime:
        return self._at


class RecordingObserver(Observer):
    """Keeps what it heard in `events`, oldest first."""

    for_tests = True

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, str | int | float]]] = []

    def notify(self, event: str, fields: Mapping[str, str | int | float]) -> None:
        self.events.append((event, dict(fields)))
