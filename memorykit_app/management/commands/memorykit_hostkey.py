"""Host keys: mint, rotate, revoke, list. A key is printed once and nowhere kept."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from memorykit_app import backends
from memorykit_app.domain.actors import Capability
from memorykit_app.management import options as opts
from memorykit_app.models import HostKey
from memorykit_app.services import host_keys


class Command(opts.OperatorCommand):
    help = "Create, rotate, revoke and list the keys of agent hosts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        create = verbs.add_parser("create", help="mint a key and print it, once")
        create.add_argument("--tenant", required=True, help="the tenant that it opens")
        create.add_argument(
            "--project", action="append", required=True, help="a project that it opens (repeat)"
        )
        create.add_argument("--name", required=True, help="what the key is for")
        create.add_argument(
            "--capability",
            action="append",
            required=True,
            choices=[*Capability],
            help="what it may do (repeat)",
        )
        create.add_argument(
            "--user", metavar="USERNAME", help="the person behind a key that may review or erase"
        )
        create.add_argument("--expires-at", type=opts.moment, metavar="TIME")
        create.add_argument("--dry-run", action="store_true", help="check and mint nothing")
        rotate = verbs.add_parser("rotate", help="mint a successor; the old key works on a while")
        rotate.add_argument("key", metavar="KEY", help="prefix or id of the old key")
        rotate.add_argument(
            "--overlap-hours",
            type=float,
            default=24.0,
            metavar="HOURS",
            help="how long the old key works on (24)",
        )
        revoke = verbs.add_parser("revoke", help="end a key at once")
        revoke.add_argument("key", metavar="KEY", help="prefix or id")
        listing = verbs.add_parser("list", help="show the keys, never their secrets")
        listing.add_argument("--tenant", default="", help="only this tenant's")
        listing.add_argument("--all", action="store_true", help="revoked and expired ones too")
        for verb in (create, rotate, revoke, listing):
            super().add_arguments(verb)

    def work(self, options: dict[str, Any]) -> None:
        now = backends.clock().now()
        match options["verb"]:
            case "create":
                self._create(options, now)
            case "rotate":
                until = now + timedelta(hours=options["overlap_hours"])
                self._show(options, *host_keys.rotate(options["key"], now=now, overlap_until=until))
            case "revoke":
                ended = host_keys.revoke(options["key"], now=now)
                self.answer(options, _data(ended), [f"host key {ended.prefix} is revoked"])
            case _:
                self._list(options, now)

    def _create(self, options: dict[str, Any], now: datetime) -> None:
        wanted: dict[str, Any] = {
            "name": options["name"],
            "tenant_id": options["tenant"],
            "projects": options["project"],
            "capabilities": [Capability(name) for name in options["capability"]],
            "user_id": _user_id(options["user"]),
            "expires_at": options["expires_at"],
            "now": now,
        }
        if options["dry_run"]:
            host_keys.check(**wanted)
            self.answer(options, {"valid": True}, ["this key could be created"])
            return
        self._show(options, *host_keys.create(**wanted))

    def _show(self, options: dict[str, Any], key: HostKey, secret: str) -> None:
        lines = [
            f"host key {key.prefix} for {key.tenant_id}: {', '.join(key.projects)}",
            "Keep it now, it is not shown again:",
            secret,
        ]
        self.answer(options, _data(key) | {"key": secret}, lines)

    def _list(self, options: dict[str, Any], now: datetime) -> None:
        keys = host_keys.listed(
            tenant_id=options["tenant"], usable_at=None if options["all"] else now
        )
        rows = [
            (
                key.prefix,
                key.name,
                key.tenant_id,
                ",".join(key.projects),
                ",".join(key.capabilities),
                key.last_used_on or "never",
                _ending(key, now),
            )
            for key in keys
        ]
        heads = ("PREFIX", "NAME", "TENANT", "PROJECTS", "MAY", "LAST USED", "STATE")
        lines = opts.table(heads, rows) if rows else ["no host keys"]
        self.answer(options, [_data(key) for key in keys], lines)


def _user_id(username: str | None) -> int | None:
    if username is None:
        return None
    users = get_user_model()._default_manager
    user = users.filter(**{get_user_model().USERNAME_FIELD: username}).first()
    if user is None:
        raise CommandError("--user: no such user", returncode=opts.USAGE)
    return int(user.pk)


def _ending(key: HostKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "usable"
    return "expired" if key.expires_at <= now else f"usable until {key.expires_at.isoformat()}"


def _data(key: HostKey) -> dict[str, Any]:
    return {
        "id": key.pk,
        "prefix": key.prefix,
        "name": key.name,
        "tenant": key.tenant_id,
        "projects": key.projects,
        "capabilities": key.capabilities,
        "user_id": key.user_id,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_on": key.last_used_on,
    }
