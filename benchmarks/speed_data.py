"""Made-up records in numbers: words by Zipf's law, vectors in topics, straight into the tables.

Loading a million records through the services would take an hour; the tables get the same
rows, and what guards them is off while they are filled.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from tqdm import tqdm

from memorykit_app.domain.scope import Scope
from memorykit_app.domain.terms import weighted_terms
from memorykit_app.models import ScopeRecord

DIMENSION = 384
NOW = datetime(2031, 1, 1, tzinfo=UTC)
_WORDS = 20_000
_PER_RECORD = 12
_TOPICS = 200
_TABLES = ("memorykit_memory", "memorykit_term", "memorykit_embedding", "memorykit_source")
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u")]


@dataclass(frozen=True, slots=True)
class Record:
    id: uuid.UUID
    text: str
    vector: NDArray[np.float32]


class Maker:
    """Makes records and questions from a seed: the same ones on every run."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._words = [self._word(number) for number in range(_WORDS)]
        share = 1 / (np.arange(_WORDS) + 10.0)
        self._sums = np.cumsum(share / share.sum())
        self._topics = self._random.standard_normal((_TOPICS, DIMENSION)).astype(np.float32)
        self._common = self._random.standard_normal(DIMENSION).astype(np.float32)
        self._made = 0

    def records(self, count: int) -> Iterator[Record]:
        for start in range(0, count, 1_000):
            size = min(1_000, count - start)
            vectors = self._vectors(self._random.integers(0, _TOPICS, size))
            drawn = np.searchsorted(self._sums, self._random.random((size, _PER_RECORD)))
            for row, vector in zip(drawn, vectors, strict=True):
                self._made += 1
                # Ids in order of time, as UUIDv7 are.
                yield Record(
                    uuid.UUID(int=(self._made << 80) | (7 << 76) | (2 << 62)),
                    " ".join(self._words[min(number, _WORDS - 1)] for number in row),
                    vector,
                )

    def question(self, records: Sequence[Record]) -> tuple[str, list[float]]:
        """Return some words of a record and a vector near it."""
        record = records[int(self._random.integers(0, len(records)))]
        words = self._random.permutation(record.text.split())[:5]
        noise = self._random.standard_normal(DIMENSION).astype(np.float32)
        vector = record.vector + 0.03 * noise
        return " ".join(words), (vector / np.linalg.norm(vector)).astype(float).tolist()

    def _vectors(self, topics: NDArray[np.int64]) -> NDArray[np.float32]:
        noise = self._random.standard_normal((len(topics), DIMENSION)).astype(np.float32)
        vectors = 2 * self._common + self._topics[topics] + 0.7 * noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    @staticmethod
    def _word(number: int) -> str:
        parts = []
        for _ in range(3):
            number, rest = divmod(number, len(_SYLLABLES))
            parts.append(_SYLLABLES[rest])
        return "".join(parts) + "k"


@contextmanager
def open_tables() -> Iterator[None]:
    """Let rows in without triggers, keys and row security, for the time of loading."""
    with connection.cursor() as cursor:
        held = [(table, *found) for table in _TABLES for found in _keys(cursor, table)]
        for table in _TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        for table, name, _ in held:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        yield
        for table, name, definition in reversed(held):
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        for table in _TABLES:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
            cursor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
            cursor.execute(f"VACUUM ANALYZE {table}")


def _keys(cursor: Any, table: str) -> list[tuple[str, str]]:
    """Return what is quicker to check once over all rows: foreign keys, and the terms' own."""
    cursor.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = %s::regclass"
        " AND (contype = 'f' OR contype = 'p' AND conrelid = 'memorykit_term'::regclass)",
        [table],
    )
    return list(cursor.fetchall())


def fill(scope: Scope, records: Sequence[Record], profile: str) -> None:
    """Write active, embedded records of one scope with their terms and sources."""
    ScopeRecord.objects.bulk_create(
        [
            ScopeRecord(
                id=scope.id,
                tenant_id=scope.tenant_id,
                subject_type=scope.subject_type.value,
                subject_id=scope.subject_id,
                salt=b"0" * 32,
                created_at=NOW,
            )
        ]
    )
    raw = connection.connection.cursor()
    for start in tqdm(
        range(0, len(records), 5_000), desc=scope.subject_id, leave=False, disable=None
    ):
        part = records[start : start + 5_000]
        hashes = [hashlib.sha256(record.text.encode()).hexdigest() for record in part]
        _copy(
            raw,
            "memorykit_memory (id, scope_id, kind, key, content, content_hash, state, left_as,"
            " valid_from, importance, confidence, provenance, source_agent_id, created_by, flags,"
            " pinned, held, version, created_at, updated_at)",
            (
                (
                    record.id,
                    scope.id,
                    "fact",
                    f"r{start + number:x}x",
                    record.text,
                    digest,
                    "active",
                    "",
                    NOW - timedelta(days=1),
                    0,
                    0.0,
                    "operator_curated",
                    "",
                    "operator:bench",
                    [],
                    False,
                    False,
                    1,
                    NOW,
                    NOW,
                )
                for number, (record, digest) in enumerate(zip(part, hashes, strict=True))
            ),
        )
        _copy(
            raw,
            "memorykit_term (scope_id, term, memory_id, weight)",
            (
                (scope.id, term, record.id, weight)
                for number, record in enumerate(part)
                for term, weight in weighted_terms(f"r{start + number:x}x", record.text).items()
            ),
        )
        _copy(
            raw,
            "memorykit_embedding (id, scope_id, memory_id, profile_id, dimension, content_hash,"
            " vector, created_at)",
            (
                (
                    record.id,
                    scope.id,
                    record.id,
                    profile,
                    DIMENSION,
                    digest,
                    "[" + ",".join(map(_short, record.vector.tolist())) + "]",
                    NOW,
                )
                for record, digest in zip(part, hashes, strict=True)
            ),
        )
        _copy(
            raw,
            "memorykit_source (id, scope_id, memory_id, kind, ref, evidence_hash, quote,"
            " message_index)",
            (
                (
                    record.id,
                    scope.id,
                    record.id,
                    "transcript",
                    f"{scope.subject_id}/{(start + number) // 20}",
                    "",
                    "",
                    (start + number) % 20,
                )
                for number, record in enumerate(part)
            ),
        )


_short = "{:.5f}".format


def _copy(cursor: Any, target: str, rows: Iterator[tuple[object, ...]]) -> None:
    with cursor.copy(f"COPY {target} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
