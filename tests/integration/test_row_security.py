"""Each policy of row-level security earns its place: without it, another scope's rows lie open."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from psycopg import errors as pg
from psycopg import sql

from memorykit_app.models import Transcript, sealed
from tests.integration.misdeeds import embedding_of, erased, given_feedback
from tests.integration.misdeeds_receipts import receipt
from tests.integration.misdeeds_seals import sealed_row
from tests.records import NOW, OTHER, SCOPE, active, memory

pytestmark = pytest.mark.django_db


def transcript() -> None:
    active()
    Transcript(id=uuid4(), scope_id=SCOPE.id, messages=[], message_count=0, created_at=NOW).save(
        force_insert=True
    )


# How a row of SCOPE comes into each table that holds content or says whose it is.
ROWS: dict[str, Callable[[], object]] = {
    "memorykit_memory": active,
    "memorykit_source": active,
    "memorykit_revision": active,
    "memorykit_term": active,
    "memorykit_embedding": lambda: embedding_of(active()).save(force_insert=True),
    "memorykit_transcript": transcript,
    "memorykit_idempotency": lambda: memory(idempotency_key="same"),
    "memorykit_fingerprint": erased,
    "memorykit_erasure_receipt": erased,
    "memorykit_recall_receipt": receipt,
    "memorykit_seal": sealed_row,
    "memorykit_feedback": given_feedback,
}
# Ids and codes only, claimed across scopes.
OPEN = {"memorykit_job"}
# Their triggers look at the memory first, and find none in another scope.
SHADOWED = {"memorykit_revision"}
_SCOPED = """
SELECT relname FROM pg_class
  JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'scope_id' AND NOT attisdropped
 WHERE relkind IN ('r', 'p') AND relname LIKE 'memorykit_%'
"""
_POLICIES = "SELECT polname FROM pg_policy WHERE polrelid = %s::regclass"
LOSSES = (
    "ALTER TABLE {} NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE {} DISABLE ROW LEVEL SECURITY",
    "CREATE POLICY memorykit_hole ON {} USING (true)",
)


def stored(table: str) -> str:
    """Store a row of SCOPE, and return it as JSON."""
    with sealed(SCOPE):
        ROWS[table]()
        with connection.cursor() as cursor:
            # What is deferred would stand in the way of ALTER TABLE.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            cursor.execute(named("SELECT row_to_json(t)::text FROM {} AS t LIMIT 1", table))
            found = cursor.fetchone()
    assert found is not None
    return str(found[0])


def named(words: str, table: str) -> sql.Composed:
    return sql.SQL(words).format(sql.Identifier(table))


def lose(words: str, table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(named(words, table))


def seen_from(table: str) -> int:
    """Return how many rows raw SQL finds from OTHER, which has none."""
    with sealed(OTHER), connection.cursor() as cursor:
        cursor.execute(named("SELECT count(*) FROM {}", table))
        return int(cursor.fetchone()[0])


def planted_from(table: str, row: str) -> bool:
    """Tell whether row-level security let OTHER write a row of SCOPE, whatever stopped it then."""
    try:
        with transaction.atomic(), sealed(OTHER), connection.cursor() as cursor:
            cursor.execute(
                named("INSERT INTO {0} SELECT (json_populate_record(NULL::{0}, %s)).*", table),
                [row],
            )
    except ProgrammingError as error:
        return not isinstance(error.__cause__, pg.InsufficientPrivilege)
    except IntegrityError:
        return True
    return True


def test_every_table_with_a_scope_is_tried():
    with connection.cursor() as cursor:
        cursor.execute(_SCOPED)

        assert {name for (name,) in cursor.fetchall()} == ROWS.keys() | OPEN


@pytest.mark.parametrize("table", ROWS)
def test_no_scope_reads_or_writes_the_rows_of_another(table):
    row = stored(table)

    assert seen_from(table) == 0
    assert table in SHADOWED or not planted_from(table, row)


@pytest.mark.parametrize("loss", LOSSES, ids=["unforced", "disabled", "widened"])
@pytest.mark.parametrize("table", ROWS)
def test_without_its_policy_a_table_shows_and_takes_rows_of_other_scopes(table, loss):
    row = stored(table)
    lose(loss, table)

    assert seen_from(table) > 0
    assert planted_from(table, row)


@pytest.mark.parametrize("table", ROWS)
def test_a_table_whose_policy_is_dropped_shows_nothing_to_anyone(table):
    stored(table)
    with connection.cursor() as cursor:
        cursor.execute(_POLICIES, [table])
        (policy,) = [name for (name,) in cursor.fetchall()]
        cursor.execute(
            sql.SQL("DROP POLICY {} ON {}").format(sql.Identifier(policy), sql.Identifier(table))
        )

    with sealed(SCOPE), connection.cursor() as cursor:
        cursor.execute(named("SELECT count(*) FROM {}", table))

        assert cursor.fetchone() == (0,)
