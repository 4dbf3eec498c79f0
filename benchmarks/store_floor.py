"""The floor of the store's bench: the rows that a verb writes, by bare SQL in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection, models
from psycopg.types.json import Jsonb
from uuid6 import uuid7

from memorykit_app.domain import identity, terms
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Verb
from memorykit_app.models import Job, Memory, Revision, Source
from memorykit_app.services import revisions

Statement = tuple[str, Sequence[Any]]
_SCOPE = "SELECT set_config('memorykit.scope', %s, true)"
_TERMS = """
INSERT INTO memorykit_term (scope_id, term, memory_id, weight)
SELECT %s, word.term, %s, word.weight
  FROM unnest(%s::text[], %s::smallint[]) AS word (term, weight)
"""
_CHANGE = """
UPDATE memorykit_memory SET state = %s, left_as = '', content = %s, content_hash = %s, version = %s,
       updated_at = %s WHERE id = %s AND scope_id = %s AND version = %s
"""
_ERASE = """
UPDATE memorykit_memory SET state = 'erased', key = '', content = '', content_hash = '',
       flags = '{}', source_agent_id = '', version = %s, updated_at = %s
 WHERE id = %s AND scope_id = %s
"""
_REDACT = """
UPDATE memorykit_revision
   SET snapshot = memorykit_redacted(snapshot), note = '', content_erased = true
 WHERE scope_id = %s AND memory_id = %s AND NOT content_erased
"""
_RECEIPT = """
INSERT INTO memorykit_erasure_receipt
       (id, scope_id, memory_id, counts, actor, reason, created_at, previous_hash, hash)
VALUES (%s, %s, %s, %s, 'operator:bench', 'bench', %s, '', %s)
"""
_FINGERPRINT = """
INSERT INTO memorykit_fingerprint (id, scope_id, digest, receipt_id, created_at, lifted_by)
VALUES (%s, %s, %s, %s, %s, '')
"""


def insert(row: models.Model) -> Statement:
    """Return the statement that stores a row whole."""
    found = [(field.column, field) for field in row._meta.concrete_fields]
    names = ", ".join(f'"{name}"' for name, _ in found)
    places = ", ".join(["%s"] * len(found))
    values = [
        Jsonb(value) if isinstance(value := getattr(row, field.attname), dict) else value
        for _, field in found
    ]
    return f'INSERT INTO "{row._meta.db_table}" ({names}) VALUES ({places})', values


def memory(scope: Scope, key: str, content: str, state: str, now: datetime) -> Memory:
    return Memory(
        id=uuid7(),
        scope_id=scope.id,
        kind="fact",
        key=key,
        content=content,
        content_hash=identity.content_hash(content),
        state=state,
        valid_from=now,
        provenance="operator_curated",
        created_by="operator:bench",
        created_at=now,
        updated_at=now,
    )


def source(row: Memory) -> Source:
    return Source(
        id=uuid7(), scope_id=row.scope_id, memory_id=row.id, kind="note", ref="note:1", quote="said"
    )


def revision(row: Memory, verb: Verb, sources: Iterable[Source], now: datetime) -> Statement:
    whole, erased = revisions.snapshot(row, sources), verb is Verb.ERASE
    return insert(
        Revision(
            id=uuid7(),
            scope_id=row.scope_id,
            memory_id=row.id,
            version=row.version,
            action=verb.value,
            state=row.state,
            actor="operator:bench",
            reason="bench",
            snapshot=revisions.redacted(whole) if erased else whole,
            content_erased=erased,
            created_at=now,
        )
    )


def searchable(row: Memory) -> Statement:
    weights = terms.weighted_terms(row.key, row.content)
    return _TERMS, [row.scope_id, row.id, list(weights), list(weights.values())]


def job(row: Memory, profile: str, now: datetime) -> Statement:
    return insert(
        Job(
            id=uuid7(),
            scope_id=row.scope_id,
            kind="embed",
            state="pending",
            target_id=row.id,
            profile=profile,
            max_attempts=5,
            due_at=now,
            created_at=now,
            updated_at=now,
        )
    )


def create(row: Memory, profile: str) -> list[Statement]:
    """Return what makes a record: with terms and job when it is active."""
    one = source(row)
    made = [insert(row), insert(one), revision(row, Verb.CREATE, [one], row.created_at)]
    if row.state == "active":
        made += [searchable(row), job(row, profile, row.created_at)]
    return made


def activate(row: Memory, profile: str) -> list[Statement]:
    now = row.updated_at + timedelta(seconds=1)
    row.state, row.version, row.updated_at = "active", row.version + 1, now
    changed = [row.state, row.content, row.content_hash, row.version, now, row.id, row.scope_id]
    return [
        (_CHANGE, [*changed, row.version - 1]),
        revision(row, Verb.ACTIVATE, [source(row)], now),
        searchable(row),
        job(row, profile, now),
    ]


def correct(row: Memory, content: str) -> list[Statement]:
    """Return what gives an active record new words; its job is waiting already."""
    now = row.updated_at + timedelta(seconds=1)
    row.content, row.content_hash = content, identity.content_hash(content)
    row.version, row.updated_at = row.version + 1, now
    changed = [row.state, content, row.content_hash, row.version, now, row.id, row.scope_id]
    mine, one = [row.scope_id, row.id], source(row)
    return [
        (_CHANGE, [*changed, row.version - 1]),
        ("DELETE FROM memorykit_source WHERE scope_id = %s AND memory_id = %s", mine),
        insert(one),
        revision(row, Verb.CORRECT, [one], now),
        ("DELETE FROM memorykit_term WHERE scope_id = %s AND memory_id = %s", mine),
        searchable(row),
    ]


def erase(row: Memory) -> list[Statement]:
    now = row.updated_at + timedelta(seconds=1)
    row.state, row.version, row.updated_at = "erased", row.version + 1, now
    mine, receipt = [row.scope_id, row.id], uuid7()
    digest = identity.content_hash(str(row.id))
    return [
        ("DELETE FROM memorykit_source WHERE scope_id = %s AND memory_id = %s", mine),
        ("DELETE FROM memorykit_term WHERE scope_id = %s AND memory_id = %s", mine),
        ("DELETE FROM memorykit_job WHERE scope_id = %s AND target_id = %s", mine),
        (_ERASE, [row.version, now, row.id, row.scope_id]),
        revision(row, Verb.ERASE, [], now),
        (_REDACT, mine),
        (_RECEIPT, [receipt, row.scope_id, row.id, Jsonb({}), now, digest]),
        (_FINGERPRINT, [uuid7(), row.scope_id, digest, receipt, now]),
    ]


def runner(scope_id: UUID) -> Callable[[list[Statement]], None]:
    """Return what runs statements in one transaction, on a connection of its own."""
    link = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None})

    def run(statements: list[Statement]) -> None:
        with link.transaction(), link.cursor() as cursor:
            cursor.execute(_SCOPE, [str(scope_id)])
            for text, values in statements:
                cursor.execute(text, values)

    return run
