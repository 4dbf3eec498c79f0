"""The database refuses what must never happen, also when the code is bypassed.

Each misdeed is refused by the rule it names, and each guard earns its place: without it, its
misdeed passes.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection
from psycopg import sql
from psycopg.types.json import Jsonb

from memorykit_app.domain.states import ARROWS
from memorykit_app.models import sealed
from memorykit_app.services import revisions
from tests.integration import (
    misdeeds_profiles,  # noqa: F401 - registers its own
    misdeeds_receipts,  # noqa: F401 - registers its own
    misdeeds_seals,  # noqa: F401 - registers its own
)
from tests.integration.misdeeds import MISDEEDS
from tests.records import SCOPE, active, history

pytestmark = pytest.mark.django_db

# Targets of the composite foreign keys: nothing can break them while the primary key stands.
TARGETS = {"memorykit_memory_scope_id", "memorykit_profile_dimension"}
_TRIGGERS = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgname LIKE 'memorykit%%'"
_CONSTRAINTS = """
SELECT conname FROM pg_constraint
 WHERE conrelid::regclass::text LIKE 'memorykit_%%' AND conname LIKE 'memorykit_%%'
   AND contype IN ('c', 'u', 'f') AND conname !~ '_(fk|uniq|check)(_|$)[0-9a-z_]*$'
    OR conname LIKE 'memorykit_%%_memory_fk' OR conname = 'memorykit_embedding_profile_fk'
UNION SELECT indexname FROM pg_indexes
 WHERE tablename LIKE 'memorykit_%%' AND indexdef LIKE 'CREATE UNIQUE%% WHERE %%'
"""


def catalogue(query: str) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {row[0] for row in cursor.fetchall()}


def refusal(act) -> str:
    """Run an act up to its commit; return the rule that refused it, or blank."""
    try:
        with sealed(SCOPE):
            act()
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except IntegrityError as error:
        cause: Any = error.__cause__
        return cause.diag.constraint_name or ""
    return ""


def prepared(misdeed):
    with sealed(SCOPE):
        return misdeed.prepare()


@pytest.mark.parametrize("misdeed", MISDEEDS, ids=lambda misdeed: misdeed.name)
def test_a_misdeed_is_refused_by_its_rule(misdeed):
    act = prepared(misdeed)

    assert refusal(act) == misdeed.rule


@pytest.mark.parametrize("misdeed", MISDEEDS, ids=lambda misdeed: misdeed.name)
def test_without_its_guard_the_misdeed_is_not_refused_by_that_rule(misdeed):
    act = prepared(misdeed)
    drop(misdeed.guard)

    assert refusal(act) != misdeed.rule


def drop(guard: str) -> None:
    """Drop a trigger, constraint or unique index by its name."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for kind, query in (
            ("TRIGGER", "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = %s"),
            (
                "CONSTRAINT",
                "SELECT conrelid::regclass::text FROM pg_constraint WHERE conname = %s",
            ),
        ):
            cursor.execute(query, [guard])
            for (table,) in cursor.fetchall():
                words = (sql.Identifier(guard), sql.Identifier(table))
                cursor.execute(
                    sql.SQL("DROP TRIGGER {} ON {}").format(*words)
                    if kind == "TRIGGER"
                    else sql.SQL("ALTER TABLE {1} DROP CONSTRAINT {0}").format(*words)
                )
        cursor.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(guard)))


def test_every_guard_has_its_misdeed():
    guards = {misdeed.guard for misdeed in MISDEEDS}

    assert catalogue(_TRIGGERS) | catalogue(_CONSTRAINTS) == guards | TARGETS


def test_without_its_policy_a_table_shows_other_scopes():
    active()

    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('memorykit.scope', '', true)")
        cursor.execute("SELECT count(*) FROM memorykit_memory")
        assert cursor.fetchone()[0] == 0
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE memorykit_memory NO FORCE ROW LEVEL SECURITY")
        cursor.execute("SELECT count(*) FROM memorykit_memory")
        assert cursor.fetchone()[0] == 1


def test_the_trigger_knows_the_arrows_of_the_table():
    with connection.cursor() as cursor:
        cursor.execute("SELECT verb, source, target, left_as FROM memorykit_arrows()")
        found = set(cursor.fetchall())

    assert found == {
        (str(a.verb), a.source and str(a.source), str(a.target), a.left_as and str(a.left_as))
        for a in ARROWS
    }


def test_a_snapshot_is_redacted_alike_in_sql_and_python():
    snapshot = history(active())[0].snapshot

    with connection.cursor() as cursor:
        cursor.execute("SELECT memorykit_redacted(%s)", [Jsonb(snapshot)])
        found = cursor.fetchone()[0]

    assert json.loads(found) == revisions.redacted(snapshot)


def test_the_role_is_neither_superuser_nor_exempt_from_row_security():
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")

        assert cursor.fetchone() == (False, False)
