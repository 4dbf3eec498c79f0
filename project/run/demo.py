"""The demo: groups, a reviewer with grants, three transcripts and a host key for this run."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import transaction

from memorykit_app.models import ReviewerGrant
from memorykit_app.models.grant import EVERY
from project.run.notice import PROJECTS, REVIEWER, TENANT
from project.services import places

TRANSCRIPTS = places.ROOT / "project" / "demo"
GROUPS = ("memorykit reviewer", "memorykit privacy officer")
KEY_NAME = "make run"


@dataclass(frozen=True, slots=True)
class Demo:
    """What this checkout has put into one database, remembered by that database's address."""

    folder: Path
    database: str
    say: Callable[[str], None]

    @property
    def _state_file(self) -> Path:
        # Without user and password. Our own server is the folder's, whatever its port.
        address = self.database.rpartition("@")[2]
        own = places.load(self.folder / "pg" / "state.json").get("port")
        name = (
            "own"
            if own and f":{own}/" in address
            else hashlib.sha256(address.encode()).hexdigest()[:16]
        )
        return self.folder / f"demo-{name}.json"

    def people(self, password: str) -> None:
        """Make the groups and the reviewer, or set them right. Raises CommandError."""
        _quietly("memorykit_setup_roles")
        groups = list(Group.objects.filter(name__in=GROUPS))
        if len(groups) != len(GROUPS):
            raise CommandError(f"memorykit_setup_roles made no {' or no '.join(GROUPS)}")
        with transaction.atomic():
            user, _ = get_user_model().objects.get_or_create(
                username=REVIEWER, defaults={"is_staff": True, "is_superuser": False}
            )
            if not user.check_password(password):
                user.set_password(password)
                user.save(update_fields=["password"])
            user.groups.set(groups)
            ReviewerGrant.objects.get_or_create(user=user, tenant_id=TENANT, subject_id=EVERY)

    def load(self) -> None:
        """Hand in the transcripts that this database has not had. Raises CommandError."""
        for name in PROJECTS:
            state = places.load(self._state_file)
            loaded = [*state.get("loaded", [])]
            if name in loaded:
                continue
            _quietly(
                "memorykit_extract",
                str(TRANSCRIPTS / f"{name}.jsonl"),
                f"--tenant={TENANT}",
                f"--project={name}",
            )
            places.save(self._state_file, {**state, "loaded": [*loaded, name]})
            self.say(f"Handed in the demo transcript {name}")

    def host_key(self) -> str:
        """Mint this run's key, revoke the last run's, and return the key.

        Raises CommandError.
        """
        state = places.load(self._state_file)
        if last := state.get("host_key"):
            _quietly("memorykit_hostkey", "revoke", str(last))
        answer = _quietly(
            "memorykit_hostkey",
            "create",
            f"--tenant={TENANT}",
            f"--project={PROJECTS[0]}",
            f"--name={KEY_NAME}",
            "--capability=read",
            "--capability=propose",
            "--json",
        )
        made: dict[str, Any] = json.loads(answer)
        places.save(self._state_file, {**state, "host_key": made["id"]})
        return str(made["key"])


def _quietly(*arguments: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        call_command(*arguments)
    return out.getvalue()
