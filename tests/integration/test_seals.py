"""The chain of seals takes in every revision once, and tells where it was tampered with."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection

from memorykit_app.models import Revision, Seal, sealed
from memorykit_app.services import seals
from memorykit_app.services.seals import Break
from tests.records import SCOPE, active, at, erasure_of, history

pytestmark = pytest.mark.django_db


def chain():
    with sealed(SCOPE):
        return list(Seal.objects.in_scope(SCOPE).order_by("number"))


def tamper(table, statement, *params):
    with sealed(SCOPE), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement, params)
        cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def test_every_revision_is_sealed_once_and_the_chain_holds():
    active()
    while seals.extend(SCOPE, batch=1):
        pass

    with sealed(SCOPE):
        revisions = set(Revision.objects.in_scope(SCOPE).values_list("pk", flat=True))
    assert {row.pk for row in chain()} == revisions
    assert [row.number for row in chain()] == list(range(1, len(revisions) + 1))
    assert seals.first_break(SCOPE, batch=1) is None


def test_a_revision_that_commits_late_with_an_older_time_is_sealed_all_the_same():
    active()
    seals.extend(SCOPE)
    before = chain()
    late = active(key="late", content="A later one", now=at(-100))

    assert seals.extend(SCOPE) == len(history(late))
    assert seals.extend(SCOPE) == 0
    added = chain()[len(before) :]
    assert added[0].memory_id == late.pk
    assert added[0].created_at < before[0].created_at


def test_the_primary_key_refuses_a_second_seal_of_a_revision():
    active()
    seals.extend(SCOPE)
    again = chain()[0]
    again.number = 1_000

    with pytest.raises(IntegrityError), sealed(SCOPE):
        Seal.objects.in_scope(SCOPE).bulk_create([again])


def test_an_erase_leaves_the_chain_whole():
    record = active()
    seals.extend(SCOPE)

    erasure_of(record)
    seals.extend(SCOPE)

    assert seals.first_break(SCOPE) is None
    assert chain()[-1].action == "erase"


@pytest.mark.parametrize(
    ("table", "statement", "reason"),
    [
        ("memorykit_revision", "UPDATE {} SET actor = 'person:9' WHERE id = %s", "revision_edited"),
        ("memorykit_revision", "DELETE FROM {} WHERE id = %s", "revision_removed"),
        ("memorykit_seal", "UPDATE {} SET reason = 'other' WHERE id = %s", "seal_edited"),
        ("memorykit_seal", "DELETE FROM {} WHERE id = %s", "seal_removed"),
    ],
)
def test_tampering_is_found_at_its_seal(table, statement, reason):
    active()
    active(key="second", content="A second record")
    seals.extend(SCOPE)
    first = chain()[0]

    tamper(table, statement.format(table), first.pk)

    assert seals.first_break(SCOPE) == Break(number=1, reason=reason)
