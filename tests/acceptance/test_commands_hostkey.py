"""Host keys from the command line: printed once, rotated, revoked, listed."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from memorykit_app.models import HostKey
from memorykit_app.services import host_keys
from tests.commands import answer, refusal, said

pytestmark = pytest.mark.django_db
CREATE = ("create", "--tenant=acme", "--name=agent", "--capability=read", "--project=red")


def works(secret: str, *, hours: float = 0) -> bool:
    return host_keys.authenticate(secret, now=timezone.now() + timedelta(hours=hours)) is not None


def test_a_new_key_works_and_is_nowhere_kept():
    made = answer("memorykit_hostkey", *CREATE, "--capability=propose", "--project=blue")

    assert works(made["key"])
    assert (made["projects"], made["capabilities"]) == (["blue", "red"], ["propose", "read"])
    row = HostKey.objects.get(pk=made["id"])
    secret = made["key"].rsplit("_", 1)[1]
    assert all(secret not in str(value) for value in vars(row).values())


def test_the_key_is_printed_once_for_people_too():
    printed = said("memorykit_hostkey", *CREATE)

    prefix = HostKey.objects.get().prefix
    assert works(printed.splitlines()[-1])
    assert "not shown again" in printed
    assert f"mk_{prefix}" not in said("memorykit_hostkey", "list")


def test_a_dry_run_checks_and_mints_nothing():
    assert answer("memorykit_hostkey", *CREATE, "--dry-run") == {"valid": True}
    assert refusal("memorykit_hostkey", *CREATE, "--capability=erase", "--dry-run")[0] == 2
    assert not HostKey.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--capability=review",), "user"),
        (("--user=nobody",), "no such user"),
        (("--name= ",), "name"),
        (("--expires-at=2001-01-01T00:00Z",), "expires_at"),
    ],
)
def test_a_wrong_key_is_refused(arguments, words):
    code, sentence = refusal("memorykit_hostkey", *CREATE, *arguments)

    assert code == 2
    assert words in sentence
    assert not HostKey.objects.exists()


def test_a_personal_key_names_its_person(django_user_model):
    user = django_user_model.objects.create_user("anna")

    made = answer("memorykit_hostkey", *CREATE, "--capability=review", "--user=anna")

    assert made["user_id"] == user.pk


@pytest.mark.parametrize("named", ["id", "prefix"])
def test_a_rotated_key_works_on_for_a_while(named):
    old = answer("memorykit_hostkey", *CREATE)

    new = answer("memorykit_hostkey", "rotate", old[named], "--overlap-hours=1")

    assert works(new["key"])
    assert works(old["key"])
    assert not works(old["key"], hours=2)
    assert new["capabilities"] == old["capabilities"]


@pytest.mark.parametrize("named", ["id", "prefix"])
def test_a_revoked_key_ends_at_once(named):
    made = answer("memorykit_hostkey", *CREATE)

    assert "is revoked" in said("memorykit_hostkey", "revoke", made[named])
    assert not works(made["key"])
    code, sentence = refusal("memorykit_hostkey", "rotate", made["prefix"])
    assert code == 1
    assert "create a new one" in sentence


@pytest.mark.parametrize("reference", ["unknown", uuid4()])
def test_an_unknown_key_is_told(reference):
    assert "no host key" in refusal("memorykit_hostkey", "revoke", reference)[1]


def test_the_list_shows_what_can_be_used_unless_asked():
    later = (timezone.now() + timedelta(days=1)).isoformat()
    usable = answer("memorykit_hostkey", *CREATE, f"--expires-at={later}")
    revoked = answer("memorykit_hostkey", *CREATE)
    answer("memorykit_hostkey", "revoke", revoked["id"])
    expired = answer("memorykit_hostkey", *CREATE, f"--expires-at={later}")
    HostKey.objects.filter(pk=expired["id"]).update(expires_at=timezone.now())
    other = answer("memorykit_hostkey", *CREATE[:1], "--tenant=other", *CREATE[2:])

    def listed(*arguments):
        return {key["id"] for key in answer("memorykit_hostkey", "list", *arguments)}

    assert listed() == {usable["id"], other["id"]}
    assert listed("--tenant=acme") == {usable["id"]}
    assert listed("--all") == {usable["id"], revoked["id"], expired["id"], other["id"]}
    printed = said("memorykit_hostkey", "list", "--all")
    assert all(word in printed for word in ("revoked", "expired", "usable until", "never"))


def test_an_empty_list_says_so():
    assert said("memorykit_hostkey", "list") == "no host keys\n"
