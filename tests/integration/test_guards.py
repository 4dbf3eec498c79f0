"""The database refuses what must never happen, also when the code is bypassed."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from memorykit_app.domain.states import ARROWS, State
from memorykit_app.models import (
    Embedding,
    Fingerprint,
    Memory,
    Profile,
    Revision,
    ScopeRecord,
    Source,
    sealed,
)
from memorykit_app.services import erasure, memories, revisions
from tests.records import NOW, OTHER, SCOPE, active, asked, at, fresh, history, memory

pytestmark = pytest.mark.django_db


def refused(rule: str, run) -> None:
    """Assert that the database refuses `run`, now or at commit, by the rule of this name."""
    with pytest.raises(IntegrityError) as caught:
        with sealed(SCOPE):
            run()
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert caught.value.__cause__.diag.constraint_name == rule
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def raw(sql: str, *params):
    def run():
        with connection.cursor() as cursor:
            cursor.execute(sql, params)

    return run


def rows():
    return Memory.objects.in_scope(SCOPE)


def step(record, **changes):
    """Change a row as a service would, but without its revision."""
    changes = {"version": record.version + 1, "updated_at": at(1)} | changes
    return lambda: rows().filter(pk=record.pk).update(**changes)


def copy(record, **changes) -> Memory:
    """Return an unsaved row like this one, under another id."""
    columns = {f.attname: getattr(record, f.attname) for f in Memory._meta.concrete_fields}
    return Memory(**(columns | {"id": uuid4()} | changes))


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


@pytest.mark.parametrize(
    ("start", "target"), [("inactive", "active"), ("candidate", "erased"), ("active", "candidate")]
)
def test_a_change_needs_its_revision_at_commit(start, target):
    record = memory() if start == "candidate" else active()
    if start == "inactive":
        record = memories.forget(record.pk, asked(1, seconds=0))
    words = {"key": "", "content": "", "content_hash": ""} if target == "erased" else {}

    refused("memorykit_memory_revision", step(record, state=target, left_as="", **words))


def test_an_illegal_transition_is_refused():
    candidate = memory()
    erased = active(key="gone.key")
    erasure.erase(erased.pk, asked(1, seconds=0))

    refused(
        "memorykit_memory_arrow",
        step(fresh(erased), state="active", key="k", content="c", content_hash="h"),
    )
    refused("memorykit_memory_arrow", lambda: copy(candidate, version=2).save(force_insert=True))
    refused(
        "memorykit_memory_arrow",
        lambda: copy(candidate, state="inactive", left_as="active").save(force_insert=True),
    )


@pytest.mark.parametrize("changes", [{"version": 3}, {"version": 1}, {"updated_at": at(-5)}])
def test_a_change_without_one_version_step_is_refused(changes):
    refused("memorykit_memory_version", step(active(), **changes))


@pytest.mark.parametrize("changes", [{"kind": "lesson"}, {"created_by": "person:9"}, {"key": "new"}])
def test_identity_does_not_change(changes):
    refused("memorykit_memory_identity", step(active(), **changes))


def test_a_memory_and_a_revision_are_never_deleted():
    record = active()

    refused("memorykit_memory_no_delete", raw("DELETE FROM memorykit_memory WHERE id = %s", record.pk))
    refused("memorykit_revision_no_delete", raw("DELETE FROM memorykit_revision"))


def test_a_revision_is_never_edited():
    record = active()
    revision = history(record)[0]

    for change in ({"actor": "person:9"}, {"note": "later"}, {"content_erased": True}):
        refused(
            "memorykit_revision_append_only",
            lambda change=change: Revision.objects.in_scope(SCOPE)
            .filter(pk=revision.pk)
            .update(**change),
        )


def test_a_revision_tells_what_happened():
    record = active()
    revision = history(record)[0]
    made_up = {
        "scope_id": SCOPE.id,
        "memory_id": record.pk,
        "state": "active",
        "actor": "person:1",
        "created_at": NOW,
    }

    def insert(**changes):
        return lambda: Revision(id=record.pk, **(made_up | changes)).save(force_insert=True)

    refused(
        "memorykit_revision_true",
        insert(version=2, action="correct", snapshot=revision.snapshot),
    )

    def change_and_lie():
        step(record, state="inactive", left_as="active")()
        now = revision.snapshot | {"state": "inactive", "version": 2, "left_as": "active"}
        insert(version=2, action="dismiss", state="inactive", snapshot=now)()

    refused("memorykit_revision_arrow", change_and_lie)


def test_a_second_active_record_per_key_is_refused():
    first = active()
    second = memory("The office is in Porto.")

    refused("memorykit_memory_one_active", step(second, state="active"))
    assert fresh(first).state == State.ACTIVE


def test_a_child_stays_in_the_scope_of_its_memory():
    record = active()
    active("Other.", scope=OTHER)
    child = Source(id=record.pk, scope_id=OTHER.id, memory_id=record.pk, kind="note", ref="n")

    with pytest.raises(IntegrityError) as caught, sealed(OTHER):
        child.save(force_insert=True)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert caught.value.__cause__.diag.constraint_name == "memorykit_source_memory_fk"


def test_an_erased_row_holds_no_content():
    record = active()

    refused("memorykit_memory_erased_is_empty", step(record, state="erased"))


def test_an_erased_memory_keeps_no_child():
    record = active()

    def half_an_erase():
        step(record, state="erased", key="", content="", content_hash="")()
        erased = Memory.objects.in_scope(SCOPE).get(pk=record.pk)
        raw("DELETE FROM memorykit_term")()
        Revision(
            id=record.pk,
            scope_id=SCOPE.id,
            memory_id=record.pk,
            version=2,
            action="erase",
            state="erased",
            actor="person:1",
            snapshot=revisions.redacted(revisions.snapshot(erased, [])),
            content_erased=True,
            created_at=at(1),
        ).save(force_insert=True)

    refused("memorykit_memory_erased_whole", half_an_erase)


def test_nothing_is_attached_to_an_erased_memory():
    record = active()
    erasure.erase(record.pk, asked(1))

    refused(
        "memorykit_parent_living",
        lambda: Source(
            id=record.pk, scope_id=SCOPE.id, memory_id=record.pk, kind="note", ref="n"
        ).save(force_insert=True),
    )


def test_only_active_memories_have_terms():
    record = memory()

    refused(
        "memorykit_parent_living",
        raw("INSERT INTO memorykit_term VALUES ('word', 1, %s, %s)", record.pk, SCOPE.id),
    )


@pytest.mark.parametrize(
    ("vector", "dimension", "rule"),
    [
        ([1.0, 0.0], 2, "memorykit_embedding_profile_fk"),
        ([1.0, 0.0], 3, "memorykit_embedding_vector"),
        ([0.0, 0.0, 0.0], 3, "memorykit_embedding_vector"),
    ],
)
def test_a_vector_has_the_dimension_of_its_profile_and_a_length(vector, dimension, rule):
    record = active()
    Profile(name="three", dimension=3, created_at=NOW).save()

    refused(
        rule,
        lambda: Embedding(
            id=record.pk,
            scope_id=SCOPE.id,
            memory_id=record.pk,
            profile_id="three",
            dimension=dimension,
            content_hash=record.content_hash,
            vector=vector,
            created_at=NOW,
        ).save(force_insert=True),
    )


def test_a_hold_is_kept_by_the_database():
    record = memories.hold(active().pk, asked(1, seconds=0))

    refused("memorykit_memory_held", step(record, content="Other words.", content_hash="h"))


def test_receipts_and_fingerprints_are_written_once():
    record = active()
    erasure.erase(record.pk, asked(1))

    refused(
        "memorykit_erasure_receipt_no_change",
        raw("UPDATE memorykit_erasure_receipt SET actor = 'person:9'"),
    )
    refused("memorykit_fingerprint_no_delete", raw("DELETE FROM memorykit_fingerprint"))
    refused(
        "memorykit_fingerprint_lift",
        lambda: Fingerprint.objects.in_scope(SCOPE).update(
            lifted_at=Now(), lifted_by="system:sweep"
        ),
    )


def test_a_scope_is_closed_once_and_takes_no_more_records():
    record = active()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)

    refused("memorykit_scope_fixed", lambda: ScopeRecord.objects.update(closed_at=None))
    refused(
        "memorykit_scope_closed",
        lambda: copy(record, key="other.key").save(force_insert=True),
    )


@pytest.mark.django_db(transaction=True)
def test_the_role_is_neither_superuser_nor_exempt_from_row_security():
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False, False)

