"""Scope is sealed twice: by managers that raise, and by row-level security beneath them."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import ProgrammingError, connection, transaction

from memorykit_app.domain.errors import InvalidScope, ScopeRequired
from memorykit_app.domain.scope import Scope, SubjectType
from memorykit_app.models import Granted, Memory, ReviewerGrant, ScopedManager, access, sealed
from tests.records import OTHER, SCOPE, active

SEALED = [
    model
    for model in apps.get_app_config("memorykit").get_models()
    if isinstance(model._default_manager, ScopedManager)
]


def visible(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT count(*) FROM "{table}"')
        return cursor.fetchone()[0]


@pytest.mark.parametrize("model", SEALED, ids=lambda model: model.__name__)
@pytest.mark.parametrize(
    "ask",
    [
        lambda objects: objects.all(),
        lambda objects: objects.exists(),
        lambda objects: objects.count(),
        lambda objects: objects.exclude(pk=1),
        lambda objects: objects.raw("SELECT 1")[0],
        lambda objects: objects.bulk_create([]),
        lambda objects: objects.create(),
        lambda objects: objects.in_scope(None),
        lambda objects: objects.in_scope("acme"),
        lambda objects: objects.in_granted([SCOPE.id]),
    ],
)
def test_a_manager_answers_nothing_without_a_scope(db, model, ask):
    with pytest.raises(ScopeRequired):
        ask(model.objects)


@pytest.mark.django_db
def test_every_scoped_table_is_under_forced_row_security_and_no_other_has_content():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")
        found = {name for (name,) in cursor.fetchall()}

    assert found == {model._meta.db_table for model in SEALED}


@pytest.mark.django_db
def test_every_scoped_table_has_the_one_policy_and_it_binds_reads_and_writes():
    """A second policy would widen the first, and another expression might be true for all."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tablename, policyname, permissive, roles::text, cmd,"
            " coalesce(with_check, qual), qual FROM pg_policies ORDER BY tablename"
        )
        found = cursor.fetchall()

    assert [row[0] for row in found] == sorted(model._meta.db_table for model in SEALED)
    assert {row[1:5] for row in found} == {("memorykit_scope", "PERMISSIVE", "{public}", "ALL")}
    [(checked, qualified)] = {row[5:] for row in found}
    assert checked == qualified
    assert "NULLIF(current_setting('memorykit.scope'::text, true), ''::text)" in qualified


@pytest.mark.django_db(transaction=True)
def test_raw_sql_without_a_scope_sees_no_rows_and_with_one_only_its_own():
    active()
    active("The office is in Faro.", scope=OTHER)

    assert visible("memorykit_memory") == 0
    for scope in (SCOPE, OTHER):
        with sealed(scope):
            assert visible("memorykit_memory") == visible("memorykit_revision") == 1
    with sealed(Granted([SCOPE.id, OTHER.id])):
        assert visible("memorykit_memory") == 2
    with sealed(Granted([])):
        assert visible("memorykit_memory") == 0
    assert visible("memorykit_memory") == 0


@pytest.mark.django_db(transaction=True)
def test_a_write_into_another_scope_is_refused():
    record = active()
    record.pk = OTHER.id

    with pytest.raises(ProgrammingError, match="row-level security"), sealed(OTHER):
        record.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_an_inner_scope_ends_and_the_outer_one_returns():
    active()
    with sealed(SCOPE):
        with sealed(OTHER):
            assert visible("memorykit_memory") == 0
        assert visible("memorykit_memory") == 1
        with pytest.raises(ZeroDivisionError), sealed(OTHER):
            raise ZeroDivisionError
        assert visible("memorykit_memory") == 1


@pytest.mark.django_db(transaction=True)
def test_one_commit_may_cover_two_scopes():
    with transaction.atomic():
        active()
        active("The office is in Faro.", scope=OTHER)

    for scope in (SCOPE, OTHER):
        with sealed(scope):
            assert Memory.objects.in_scope(scope).count() == 1


@pytest.mark.django_db
def test_the_owner_may_not_truncate_in_production():
    """Tests give TRUNCATE back to flush; the migration must have taken it."""
    sql = (
        "SELECT count(*) FROM pg_class WHERE relname = ANY (%s)"
        " AND NOT has_table_privilege(current_user, oid, 'TRUNCATE')"
    )
    with connection.cursor() as cursor:
        for model in SEALED:
            cursor.execute(f'REVOKE TRUNCATE ON "{model._meta.db_table}" FROM CURRENT_USER')
        cursor.execute(sql, [[model._meta.db_table for model in SEALED]])
        assert cursor.fetchone()[0] == len(SEALED)


@pytest.mark.parametrize(
    "parts",
    [
        ("", "red"),
        (" ", "red"),
        ("acme", ""),
        ("acme", " red"),
        ("ac\0me", "red"),
        ("acme", "r\ned"),
        ("a" * 201, "red"),
        (None, "red"),
    ],
)
def test_a_scope_has_both_names(parts):
    with pytest.raises(InvalidScope):
        Scope.project(*parts)


def test_scopes_that_differ_in_any_part_have_other_ids():
    scopes = [
        Scope.project("a", "b"),
        Scope.project("b", "a"),
        Scope.project("a", "B"),
        Scope(tenant_id="a", subject_type=SubjectType.USER, subject_id="b"),
    ]

    assert len({scope.id for scope in scopes}) == len(scopes)


@pytest.mark.django_db
def test_a_person_sees_the_scopes_that_were_granted_and_no_more():
    active()
    active("The office is in Faro.", scope=OTHER)
    active("Elsewhere.", scope=Scope.project("umbrella", "red"))
    users = get_user_model().objects
    reviewer, lead, root = (
        users.create_user("reviewer"),
        users.create_user("lead"),
        users.create_superuser("root"),
    )
    ReviewerGrant(user=reviewer, tenant_id="acme", subject_id="red").save()
    ReviewerGrant(user=lead, tenant_id="acme").save()

    assert set(access.granted_to(reviewer).scope_ids) == {SCOPE.id}
    assert set(access.granted_to(lead).scope_ids) == {SCOPE.id, OTHER.id}
    assert access.granted_to(root).scope_ids == ()
    reviewer.is_active = False
    assert access.granted_to(reviewer).scope_ids == ()
