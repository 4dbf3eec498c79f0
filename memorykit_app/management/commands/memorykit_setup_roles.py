"""Setup roles: the groups of the desk and the permission of each verb they may use."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from memorykit_app.domain.states import Verb

LABEL = "memorykit"
_LOOK = ("view_memory",)
_READ = (*_LOOK, "view_memory_source")
_REVIEW = tuple(
    f"{verb}_memory"
    for verb in (
        Verb.ACTIVATE,
        Verb.CORRECT,
        Verb.DISMISS,
        Verb.FORGET,
        Verb.RESTORE,
        Verb.REVERT,
        Verb.PIN,
        Verb.UNPIN,
    )
)
_HOLD = ("hold_memory", "release_memory")
ROLES: dict[str, tuple[str, ...]] = {
    "viewer": _LOOK,
    "reviewer": (*_READ, *_REVIEW),
    "lead": (*_READ, *_REVIEW, *_HOLD, "expire_memory", "view_job", "view_erasurereceipt"),
    "privacy officer": (
        *_READ,
        *_HOLD,
        "forget_memory",
        "restore_memory",
        "erase_memory",
        "view_erasurereceipt",
    ),
    "operator": ("view_job", "redrive_job", "cancel_job", "view_hostkey", "manage_hostkey"),
}


class Command(BaseCommand):
    help = (
        "Make the groups viewer, reviewer, lead, privacy officer and operator, or set their"
        " permissions right. Which projects a person sees is a grant of its own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would change")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = _permissions()
        dry_run = options["dry_run"]
        with transaction.atomic():
            changes = [
                _set_right(f"{LABEL} {role}", [wanted[name] for name in names], dry_run=dry_run)
                for role, names in ROLES.items()
            ]
        if options["json"]:
            self.stdout.write(json.dumps({"dry_run": dry_run, "groups": changes}))
            return
        for change in changes:
            added, removed = len(change["added"]), len(change["removed"])
            self.stdout.write(
                f"{change['group']}: {'new, ' if change['new'] else ''}"
                f"{added} permissions added, {removed} removed"
                f"{' (dry run)' if dry_run else ''}"
            )


def _permissions() -> dict[str, Permission]:
    """Return the permissions by codename. Raises CommandError before they exist."""
    names = {name for names in ROLES.values() for name in names}
    found = {
        permission.codename: permission
        for permission in Permission.objects.filter(
            content_type__app_label=LABEL, codename__in=names
        )
    }
    missing = sorted(names - set(found))
    if missing:
        raise CommandError(f"permissions are missing ({', '.join(missing)}): run migrate first")
    return found


def _set_right(name: str, wanted: list[Permission], *, dry_run: bool) -> dict[str, Any]:
    group = Group.objects.filter(name=name).first()
    new = group is None
    has = set(group.permissions.all()) if group else set()
    added, removed = set(wanted) - has, has - set(wanted)
    if not dry_run and (new or added or removed):
        made, _ = Group.objects.get_or_create(name=name)
        made.permissions.set(wanted)
    return {
        "group": name,
        "new": new,
        "added": sorted(permission.codename for permission in added),
        "removed": sorted(permission.codename for permission in removed),
    }
