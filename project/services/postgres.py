"""The checkout's own PostgreSQL: loopback only, passwords only, one plain role."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from project.services import binaries, places
from project.services.account import Account
from project.services.errors import ServiceError
from project.services.ports import LOOPBACK, free_port
from project.services.roles import DATABASE, ROLE, Cluster

START_ATTEMPTS = 6
_INITDB = (
    "--username=memorykit_admin",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
)
_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "''",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # The server's own log repeats row values and whole statements unless told not to.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}
_SERVING = {"max_connections": "100"}
_THROWAWAY = {
    "max_connections": "200",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}


@dataclass(frozen=True, slots=True)
class Postgres:
    """A cluster below `folder`; a throw-away one trades durability for speed."""

    folder: Path
    account: Account
    throwaway: bool = False
    edition: binaries.Edition = binaries.NEWEST

    @property
    def data(self) -> Path:
        return self.folder / "pg" / "data"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def _state_file(self) -> Path:
        return self.folder / "pg" / "state.json"

    def state(self) -> dict[str, Any]:
        return places.load(self._state_file)

    def mark(self, **values: Any) -> None:
        """Keep values beside the port and the passwords."""
        places.save(self._state_file, {**self.state(), **values})

    def url(self) -> str | None:
        """Return the plain role's URL as last started; it says nothing about running."""
        state = self.state()
        if "port" not in state or "password" not in state:
            return None
        return f"postgresql://{ROLE}:{state['password']}@{LOOPBACK}:{state['port']}/{DATABASE}"

    def running(self) -> bool:
        """Return whether our own server answers: pg_ctl trusts a pid file after a crash."""
        state = self.state()
        # Asked first, because somebody else may be silent on what was our port.
        if "port" not in state or not self._process_lives():
            return False
        try:
            self._cluster(state).connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def up(self) -> str:
        """Make the cluster when there is none, start it, and return the plain role's URL.

        Raises ServiceError with the last line of the log when it does not start.
        """
        if not self.running():
            programs = binaries.postgres_programs(self.folder, self.account, self.edition)
            self._create(programs)
            self._start(programs)
        state = self.state()
        self._cluster(state).prepare(
            password=state["password"], may_create_databases=self.throwaway
        )
        url = self.url()
        assert url is not None
        return url

    def down(self) -> None:
        """Stop the server; one that does not run is fine. Raises ServiceError when it stays."""
        if not (self.data / "postmaster.pid").exists():
            return
        control = binaries.postgres_programs(self.folder, self.account, self.edition) / "pg_ctl"
        for mode, seconds in (("fast", "30"), ("immediate", "10")):
            stop = [control, "-D", self.data, "-m", mode, "-w", "-t", seconds, "stop"]
            if self.account.run(stop) == 0 or not self._process_lives():
                return
        raise ServiceError(
            f"PostgreSQL in {self.data} does not stop: end process {self._process()} by hand."
        )

    def _cluster(self, state: dict[str, Any]) -> Cluster:
        return Cluster(port=state["port"], admin_password=state["admin_password"])

    def _create(self, programs: Path) -> None:
        if self.data.exists():
            self._check_existing(programs)
            return
        (self.folder / "pg").mkdir(exist_ok=True)
        (self.folder / "pg").chmod(0o711 if self.account.switch else 0o700)
        places.save(
            self._state_file,
            {"admin_password": secrets.token_hex(24), "password": secrets.token_hex(24)},
        )
        # Renamed when complete: a start killed half way leaves no broken cluster behind.
        new, log = self.folder / "pg" / "data.new", self.folder / "pg" / "initdb.log"
        password = self.folder / "pg" / "password"
        shutil.rmtree(new, ignore_errors=True)
        password.unlink(missing_ok=True)
        places.own_folder(new, self.account)
        try:
            handle = os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="ascii") as stream:
                stream.write(self.state()["admin_password"])
            if self.account.switch:
                os.chown(password, self.account.uid, self.account.gid)
            options = [*_INITDB, *self.edition.locale, *(["--no-sync"] if self.throwaway else [])]
            initdb = [programs / "initdb", "-D", new, f"--pwfile={password}", *options]
            failed = self.account.run(initdb, log=log, env={"PATH": os.defpath, "LC_ALL": "C"})
        finally:
            password.unlink(missing_ok=True)
        if failed:
            raise ServiceError(
                f"PostgreSQL could not make its data folder {new}: {places.last_line(log)}"
                f" (the whole log is {log})."
            )
        new.rename(self.data)

    def _check_existing(self, programs: Path) -> None:
        if "admin_password" not in self.state():
            raise ServiceError(
                f"{self._state_file} with the passwords of {self.data} is gone: put it back,"
                " or run `make clean` to start with empty data."
            )
        made_by = (self.data / "PG_VERSION").read_text("ascii").strip()
        ours = _major(programs)
        if ours and made_by != ours:
            raise ServiceError(
                f"{self.data} was made by PostgreSQL {made_by} and the installed one is"
                f" {ours}: install the older package to export it, or run `make clean`."
            )

    def _start(self, programs: Path) -> None:
        control = programs / "pg_ctl"
        port: int | None = self.state().get("port")
        for attempt in range(START_ATTEMPTS):
            port = free_port(port)
            self.mark(port=port)
            values = {**_SETTINGS, **(_THROWAWAY if self.throwaway else _SERVING)}
            options = " ".join(f"-c {k}={v}" for k, v in {**values, "port": str(port)}.items())
            start = [control, "-D", self.data, "-w", "-t", "60", "-l", self.log, "-o", options]
            if self.account.run([*start, "start"]) == 0 and self.running():
                return
            # Another program was quicker, or an old postmaster is still dying.
            port = None
            self._drop_stale_lock()
            time.sleep(0.2 * (attempt + 1))
        raise ServiceError(
            f"PostgreSQL did not start: {places.last_line(self.log)} (the whole log is"
            f" {self.log}); correct that, or set DATABASE_URL to a running server."
        )

    def _drop_stale_lock(self) -> None:
        # After a crash another program may have got the old process number, and PostgreSQL
        # then takes it for a running server.
        if not self._process_lives():
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _process(self) -> int | None:
        try:
            return int((self.data / "postmaster.pid").read_text("utf-8").split("\n")[0])
        except (OSError, ValueError):
            return None

    def _process_lives(self) -> bool:
        process = self._process()
        if process is None:
            return False
        try:
            command = Path(f"/proc/{process}/cmdline").read_bytes()
        except FileNotFoundError:
            return not Path("/proc/self").exists()
        except OSError:
            return True
        return os.fsencode(self.data) in command


def _major(programs: Path) -> str:
    header = programs.parent / "include" / "pg_config.h"
    for line in header.read_text("utf-8", "replace").split("\n") if header.exists() else ():
        if line.startswith("#define PG_MAJORVERSION "):
            return line.split('"')[1]
    return ""
