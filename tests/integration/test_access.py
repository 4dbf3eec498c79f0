"""Access: who may do what, where; whatever is missing or broken refuses."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import ClassVar

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser, Permission
from django.db import connection, transaction
from django.test import override_settings

from memorykit_app.backends.base import Authorizer, Target
from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import AccessDenied
from memorykit_app.domain.scope import Scope
from memorykit_app.models import ReviewerGrant, access
from memorykit_app.models.grant import EVERY
from memorykit_app.services import scopes
from tests.records import MODEL, NOW, OPERATOR, OTHER, SCOPE

pytestmark = pytest.mark.django_db
VERBS = ["activate", "correct", "dismiss", "forget", "restore", "revert", "erase", "hold", "pin"]


@pytest.fixture
def ada():
    return get_user_model().objects.create_user("ada", is_staff=True)


def permit(user, *verbs):
    names = [f"{verb}_memory" for verb in verbs]
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))


def grant(user, subject=SCOPE.subject_id):
    ReviewerGrant.objects.create(user=user, tenant_id=SCOPE.tenant_id, subject_id=subject)


def allowed(principal, verb, scope=SCOPE, target=None) -> bool:
    try:
        access.authorize(principal, verb, scope, target)
    except AccessDenied:
        return False
    return True


def host(*capabilities, user=None):
    return Principal(
        actor="host:abc",
        user_id=user.pk if user else None,
        capabilities=frozenset(capabilities),
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_person_needs_the_permission_and_the_grant(ada, verb):
    person = Principal.person(ada.pk)

    assert not allowed(person, verb)
    permit(ada, verb)
    assert not allowed(person, verb)
    grant(ada)
    assert allowed(person, verb)
    assert not allowed(person, verb, OTHER)


def test_a_superuser_without_a_grant_sees_nothing():
    root = get_user_model().objects.create_superuser("root")
    scopes.ensure(SCOPE, now=NOW)

    assert not allowed(Principal.person(root.pk), "activate")
    assert access.granted_records(root) == []


def test_a_grant_for_the_tenant_covers_its_projects_only(ada):
    permit(ada, "view")
    grant(ada, EVERY)
    for scope in (SCOPE, OTHER, Scope.project("rival", "red")):
        scopes.ensure(scope, now=NOW)

    assert [record.scope for record in access.granted_records(ada)] == [OTHER, SCOPE]
    assert allowed(Principal.person(ada.pk), access.READ, OTHER)
    assert not allowed(Principal.person(ada.pk), access.READ, Scope.project("rival", "red"))


def test_whoever_left_may_do_nothing(ada):
    permit(ada, "activate")
    grant(ada)
    scopes.ensure(SCOPE, now=NOW)
    get_user_model().objects.update(is_active=False)
    ada.refresh_from_db()

    assert not allowed(Principal.person(ada.pk), "activate")
    assert access.granted_records(ada) == []
    assert access.granted_records(AnonymousUser()) == []
    assert not access.may(AnonymousUser(), "activate")


def test_a_person_without_an_account_may_do_nothing():
    assert not allowed(Principal(actor="person:7"), "activate")
    assert not allowed(Principal.person(10**6), "activate")


@pytest.mark.parametrize(
    ("verb", "capability"),
    [
        (access.READ, Capability.READ),
        (access.PROPOSE, Capability.PROPOSE),
        ("create", Capability.WRITE_EXPLICIT),
        ("correct", Capability.WRITE_EXPLICIT),
        ("forget", Capability.WRITE_EXPLICIT),
    ],
)
def test_a_key_may_do_what_it_was_given(verb, capability):
    others = set(Capability) - {capability}

    assert allowed(host(capability), verb)
    assert not allowed(host(*others), verb)


@pytest.mark.parametrize(
    ("verb", "capability"), [("activate", Capability.REVIEW), ("erase", Capability.ERASE)]
)
def test_a_key_that_decides_needs_the_grants_of_its_person(ada, verb, capability):
    assert not allowed(host(capability), verb)
    assert not allowed(host(capability, user=ada), verb)

    permit(ada, verb)
    grant(ada)

    assert allowed(host(capability, user=ada), verb)
    assert not allowed(host(capability, user=ada), verb, OTHER)


def test_a_verb_that_no_capability_covers_is_refused():
    assert not allowed(host(*Capability), "hold")


def test_nobody_activates_what_they_proposed(ada):
    permit(ada, "activate")
    grant(ada)
    person = Principal.person(ada.pk)

    assert not allowed(person, "activate", target=Target(created_by=person.actor))
    assert not allowed(person, "activate", target=Target(source_agent=person.actor))
    assert allowed(person, "activate", target=Target(created_by="model:rules"))


def test_a_model_may_only_propose():
    assert allowed(MODEL, access.PROPOSE)
    assert not any(allowed(MODEL, verb) for verb in [*VERBS, access.READ, "create"])


def test_an_operator_acts_with_the_rights_of_the_process():
    assert all(allowed(OPERATOR, verb) for verb in VERBS)


class Truthy(Authorizer):
    def allows(self, principal, verb, scope, target):
        return 1


class Raising(Authorizer):
    def allows(self, principal, verb, scope, target):
        raise RuntimeError("the directory is away")


@pytest.mark.parametrize(
    "path",
    [
        f"{__name__}.Truthy",
        f"{__name__}.Raising",
        "memorykit_app.backends.builtin.DenyAll",
        "nowhere.at.all",
        f"{__name__}.access",
    ],
)
def test_an_authorizer_that_does_not_say_true_refuses(path):
    changed = settings.MEMORYKIT | {"AUTHORIZER": {"BACKEND": path}}

    with override_settings(MEMORYKIT=changed):
        assert not allowed(OPERATOR, "activate")


class Hanging(Authorizer):
    leave = threading.Event()

    def allows(self, principal, verb, scope, target):
        return self.leave.wait(60)


@contextmanager
def asking(authorizer, seconds=2.0):
    named = {"AUTHORIZER": {"BACKEND": f"{__name__}.{authorizer.__name__}"}}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | named | {"AUTHORIZER_SECONDS": seconds}):
        yield


def test_an_authorizer_that_hangs_refuses_in_time():
    with asking(Hanging, 0.05):
        refusals = [refused(OPERATOR) for _ in range(3)]
    Hanging.leave.set()

    assert [type(error.__cause__) for error in refusals] == [TimeoutError] * 3


class Late(Authorizer):
    asked: ClassVar[list[str]] = []
    leave = threading.Event()

    def allows(self, principal, verb, scope, target):
        self.asked.append(verb)
        self.leave.wait(60)
        return True


def test_an_authorizer_that_keeps_hanging_is_not_asked_for_a_while():
    with asking(Late, 0.01):
        for _ in range(9):
            refused(OPERATOR)
        asked = len(Late.asked)
        Late.leave.set()

    assert asked == 5


class Curious(Authorizer):
    """Tells where it was asked."""

    seen: ClassVar[list[tuple[bool, str]]] = []

    def allows(self, principal, verb, scope, target):
        connection.ensure_connection()
        self.seen.append((connection.in_atomic_block, threading.current_thread().name))
        return True


def test_a_host_s_authorizer_is_asked_outside_the_transaction_and_holds_no_connection():
    before = connections_held()
    with asking(Curious), transaction.atomic():
        for _ in range(3):
            access.authorize(OPERATOR, "activate", SCOPE)

    assert [inside for inside, _ in Curious.seen] == [False] * 3
    assert all(name.startswith("authorizer") for _, name in Curious.seen)
    assert connections_held() == before


def refused(principal) -> AccessDenied:
    with pytest.raises(AccessDenied) as told:
        access.authorize(principal, "activate", SCOPE)
    return told.value


def connections_held() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend'"
        )
        return cursor.fetchone()[0]
