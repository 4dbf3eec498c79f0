"""Host keys: shown once, kept as a hash, bound, expiring, rotated with overlap, revoked."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection

from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import Conflict, InvalidMemory, InvalidScope, MemoryNotFound
from memorykit_app.models import HostKey
from memorykit_app.services import host_keys
from tests.records import NOW, at

pytestmark = pytest.mark.django_db


def mint(**changes):
    asked = {
        "name": "agent host",
        "tenant_id": "acme",
        "projects": ["red"],
        "capabilities": [Capability.READ],
        "now": NOW,
    }
    return host_keys.create(**(asked | changes))


@pytest.fixture
def person():
    return get_user_model().objects.create_user("ada")


def test_a_key_opens_what_it_was_made_for():
    key, secret = mint(projects=["red", "blue", "red"], capabilities=[Capability.READ])

    found = host_keys.authenticate(secret, now=at(1))

    assert found == key
    assert found.projects == ["blue", "red"]
    assert host_keys.principal_of(found).actor == f"host:{key.prefix}"
    assert host_keys.principal_of(found).capabilities == {Capability.READ}


def test_the_table_holds_no_secret():
    _, secret = mint()

    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(k)::text FROM memorykit_host_key k")
        row = cursor.fetchone()[0]

    assert secret.split("_", 2)[2] not in row
    assert secret not in str(HostKey.objects.get())


@pytest.mark.parametrize(
    "damage",
    [
        lambda secret: secret[:-1],
        lambda secret: secret + "a",
        lambda secret: secret.replace("mk_", "xx_", 1),
        lambda secret: "mk__" + secret.rpartition("_")[2],
        lambda secret: "",
        lambda secret: "mk_" + "0" * 12 + "_" + secret.split("_", 2)[2],
        lambda secret: "mk_é_\ud800",
    ],
)
def test_anything_else_opens_nothing(damage):
    _, secret = mint()

    assert host_keys.authenticate(damage(secret), now=at(1)) is None


def test_a_key_ends_when_it_expires():
    _, secret = mint(expires_at=at(60))

    assert host_keys.authenticate(secret, now=at(59))
    assert host_keys.authenticate(secret, now=at(60)) is None


def test_a_revoked_key_ends_at_once_and_once():
    key, secret = mint()

    host_keys.revoke(key.prefix, now=at(5))
    host_keys.revoke(key.prefix, now=at(9))

    assert host_keys.authenticate(secret, now=at(6)) is None
    assert HostKey.objects.get().revoked_at == at(5)


def test_the_day_of_the_last_use_is_kept():
    key, secret = mint()

    host_keys.authenticate(secret, now=NOW + timedelta(days=3))

    key.refresh_from_db()
    assert key.last_used_on == (NOW + timedelta(days=3)).date()


def test_both_keys_work_during_a_rotation():
    old, first = mint(capabilities=[Capability.READ, Capability.PROPOSE])

    new, second = host_keys.rotate(old.prefix, now=at(10), overlap_until=at(100))

    assert host_keys.authenticate(first, now=at(99)) == old
    assert host_keys.authenticate(first, now=at(100)) is None
    assert host_keys.authenticate(second, now=at(100)) == new
    assert new.capabilities == old.capabilities


def test_a_rotation_does_not_lengthen_a_life():
    old, _ = mint(expires_at=at(50))

    host_keys.rotate(old.prefix, now=at(10), overlap_until=at(100))

    old.refresh_from_db()
    assert old.expires_at == at(50)


@pytest.mark.parametrize("ended", ["revoked", "expired"])
def test_what_has_ended_is_not_rotated(ended):
    key, _ = mint(expires_at=at(20) if ended == "expired" else None)
    if ended == "revoked":
        host_keys.revoke(key.prefix, now=at(1))

    with pytest.raises(Conflict, match="create a new one"):
        host_keys.rotate(key.prefix, now=at(30), overlap_until=at(60))


def test_an_unknown_key_is_said():
    with pytest.raises(MemoryNotFound, match="prefix"):
        host_keys.revoke("nothing", now=NOW)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "n" * 201}, "name"),
        ({"projects": []}, "projects"),
        ({"projects": ["red/blue"]}, "projects"),
        ({"capabilities": []}, "capabilities"),
        ({"capabilities": [Capability.REVIEW]}, "user"),
        ({"capabilities": [Capability.ERASE], "user_id": 10**6}, "user"),
        ({"expires_at": NOW}, "expires_at"),
    ],
)
def test_a_key_that_could_not_be_answered_for_is_refused(changes, field):
    with pytest.raises(InvalidMemory, match=field):
        mint(**changes)

    assert not HostKey.objects.exists()


def test_a_project_without_a_name_is_refused():
    with pytest.raises(InvalidScope):
        mint(projects=[" "])


def test_a_key_that_may_review_belongs_to_a_person(person):
    key, _ = mint(capabilities=[Capability.REVIEW], user_id=person.pk)

    assert host_keys.principal_of(key).user_id == person.pk
    with pytest.raises(IntegrityError, match="memorykit_host_key_review_has_user"):
        HostKey.objects.update(user=None)
