"""memorykit_setup_roles: the groups of the desk, made and kept right."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db
NAMES = {
    "memorykit viewer",
    "memorykit reviewer",
    "memorykit lead",
    "memorykit privacy officer",
    "memorykit operator",
}


def run(*arguments):
    out = StringIO()
    call_command("memorykit_setup_roles", *arguments, stdout=out)
    return out.getvalue()


def permissions(name):
    return set(Group.objects.get(name=name).permissions.values_list("codename", flat=True))


def test_the_groups_are_made_with_a_permission_per_verb():
    run()

    assert set(Group.objects.values_list("name", flat=True)) == NAMES
    assert permissions("memorykit viewer") == {"view_memory"}
    assert "activate_memory" in permissions("memorykit reviewer")
    assert "erase_memory" not in permissions("memorykit lead")
    assert "erase_memory" in permissions("memorykit privacy officer")
    assert "view_memory" not in permissions("memorykit operator")


def test_a_second_run_changes_nothing():
    run()

    again = json.loads(run("--json"))

    assert not again["dry_run"]
    assert all(not (group["new"] or group["added"]) for group in again["groups"])


def test_a_changed_group_is_set_right():
    run()
    group = Group.objects.get(name="memorykit viewer")
    group.permissions.set([Permission.objects.get(codename="erase_memory")])

    said = run()

    assert "memorykit viewer: 1 permissions added, 1 removed" in said
    assert permissions("memorykit viewer") == {"view_memory"}


def test_a_dry_run_says_the_same_and_writes_nothing():
    said = run("--dry-run")

    assert "memorykit reviewer: new, 10 permissions added, 0 removed (dry run)" in said
    assert not Group.objects.exists()


def test_before_a_migration_it_says_what_to_do():
    Permission.objects.filter(codename="erase_memory").delete()

    with pytest.raises(CommandError, match=r"erase_memory.*run migrate first"):
        run()
