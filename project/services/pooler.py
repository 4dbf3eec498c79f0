"""PgBouncer in transaction mode before a throw-away server: `make test-pooler`."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg

from project import debian
from project.services import places
from project.services.account import Account
from project.services.errors import ServiceError
from project.services.ports import LOOPBACK, free_port

#: Far fewer than the tests have clients, so that sessions really are shared.
SERVER_CONNECTIONS = 4
#: Debian puts it where an ordinary user's path does not lead.
ELSEWHERE = "/usr/sbin"
_CONFIGURATION = """\
[databases]
* = host={host} port={server}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
admin_users = {user}
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 400
log_connections = 0
log_disconnections = 0
logfile = {folder}/log
pidfile = {folder}/pid
"""


def find() -> Path | None:
    """Return the program, or None."""
    found = shutil.which("pgbouncer") or shutil.which("pgbouncer", path=ELSEWHERE)
    return Path(found) if found else None


@dataclass(frozen=True, slots=True)
class Pooler:
    """A PgBouncer with its files below `folder`, before the server of `database_url`."""

    folder: Path
    account: Account
    database_url: str

    @property
    def _home(self) -> Path:
        return self.folder / "pgbouncer"

    def up(self) -> int:
        """Start it and return its port. Raises ServiceError when it is missing or does not."""
        program = find()
        if program is None:
            raise ServiceError(f"There is no PgBouncer: {debian.by_hand('pgbouncer')}.")
        server = urlsplit(self.database_url)
        user, password = unquote(server.username or ""), unquote(server.password or "")
        places.own_folder(self._home, self.account)
        port = free_port()
        self._write("users", f'"{user}" "{password}"\n')
        self._write(
            "configuration",
            _CONFIGURATION.format(
                host=LOOPBACK,
                server=server.port,
                port=port,
                folder=self._home,
                user=user,
                connections=SERVER_CONNECTIONS,
            ),
        )
        failed = self.account.run([program, "-d", "-q", self._home / "configuration"])
        pooled = server._replace(netloc=server.netloc.rpartition(":")[0] + f":{port}").geturl()
        if failed or not _answers(pooled):
            reason = places.last_line(self._home / "log")
            raise ServiceError(f"PgBouncer does not start: {reason}.")
        return port

    def down(self) -> None:
        """Stop it; one that does not run is fine."""
        try:
            process = int((self._home / "pid").read_text("ascii"))
            os.kill(process, signal.SIGTERM)
        except (OSError, ValueError):
            return
        for _ in range(100):
            if not Path(f"/proc/{process}").exists():
                return
            time.sleep(0.05)

    def _write(self, name: str, text: str) -> None:
        path = self._home / name
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(text)
        if self.account.switch:
            os.chown(path, self.account.uid, self.account.gid)


def _answers(url: str) -> bool:
    for _ in range(100):
        try:
            psycopg.connect(url, connect_timeout=5, prepare_threshold=None).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    return False


def main() -> int:
    """Install PgBouncer when it is missing; return an exit status."""
    return debian.ensure("pgbouncer", name="PgBouncer", label="pooler", find=find)


if __name__ == "__main__":
    sys.exit(main())
