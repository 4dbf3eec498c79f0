"""The account that the servers run under: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from project.services.errors import ServiceError

# Existing accounts only; making one would change the machine.
_PREFERRED = ("postgres", "nobody", "daemon")


@dataclass(frozen=True, slots=True)
class Account:
    """Who runs the servers: `switch` is True when that is somebody else than us."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(
        self,
        command: Sequence[object],
        *,
        log: Path | None = None,
        stdin: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> int:
        """Run a command as this account and return its exit status.

        Raises ServiceError when the system does not let us change to the account.
        """
        out = open(log, "ab") if log else subprocess.DEVNULL  # noqa: SIM115
        try:
            done = subprocess.run(
                [str(part) for part in command],
                input=(stdin or "").encode(),
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd="/",
                env=None if env is None else dict(env),
                # Ctrl-C is for the one who stops things in order, not for the servers.
                start_new_session=True,
                user=self.uid if self.switch else None,
                group=self.gid if self.switch else None,
                extra_groups=[] if self.switch else None,
                check=False,
            )
            return done.returncode
        except PermissionError as error:
            raise ServiceError(
                f"{command[0]} cannot be run as the account {self.name}: start as an ordinary"
                " user, or set DATABASE_URL and REDIS_URL to running servers."
            ) from error
        finally:
            if not isinstance(out, int):
                out.close()

    def reaches(self, path: Path) -> bool:
        """Return whether the permission bits let this account pass every folder to `path`."""
        if not self.switch:
            return True
        parts = [path, *path.absolute().parents]
        return all(self._may_enter(part) for part in parts if part.exists())

    def _may_enter(self, path: Path) -> bool:
        info = path.stat()
        if info.st_uid == self.uid:
            return bool(info.st_mode & stat.S_IXUSR)
        if info.st_gid == self.gid:
            return bool(info.st_mode & stat.S_IXGRP)
        return bool(info.st_mode & stat.S_IXOTH)


def server_account() -> Account:
    """Return ourselves, or as root an existing account without rights.

    Raises ServiceError when root has no such account to change to.
    """
    if os.geteuid() != 0:
        own = os.geteuid()
        return Account(name=str(own), uid=own, gid=os.getegid(), switch=False)
    for name in _PREFERRED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid:
            return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)
    raise ServiceError(
        "PostgreSQL does not run as root and there is no account postgres, nobody or daemon:"
        " start as an ordinary user, or set DATABASE_URL to a running server."
    )
