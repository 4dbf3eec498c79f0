"""The checkout's own Valkey: loopback only, password, nothing evicted."""

from __future__ import annotations

import os
import secrets
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from project.services import binaries, places
from project.services.account import Account
from project.services.errors import ServiceError
from project.services.ports import LOOPBACK, free_port

START_ATTEMPTS = 6
START_SECONDS = 10.0
STOP_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Valkey:
    """A server below `folder`; a throw-away one writes nothing to disk."""

    folder: Path
    account: Account
    throwaway: bool = False

    @property
    def data(self) -> Path:
        return self.folder / "kv" / "data"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def _state_file(self) -> Path:
        return self.folder / "kv" / "state.json"

    def state(self) -> dict[str, Any]:
        return places.load(self._state_file)

    def mark(self, **values: Any) -> None:
        """Keep values beside the port and the password."""
        places.save(self._state_file, {**self.state(), **values})

    def url(self) -> str | None:
        """Return the URL as last started; it says nothing about running."""
        state = self.state()
        if "port" not in state:
            return None
        return f"redis://:{state['password']}@{LOOPBACK}:{state['port']}/0"

    def running(self) -> bool:
        """Return whether our own server answers."""
        if "port" not in self.state() or self._process() is None:
            return False
        try:
            with self._client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def up(self) -> str:
        """Start the server when it does not run, and return its URL.

        Raises ServiceError with the last line of the log when it does not start.
        """
        if not self.running():
            self._start()
        url = self.url()
        assert url is not None
        return url

    def down(self) -> None:
        """Stop the server; one that does not run is fine. Raises ServiceError when it stays."""
        process = self._process()
        if process is None:
            return
        try:
            with self._client() as client:
                client.shutdown()
        except redis.RedisError:
            self._signal(process, signal.SIGTERM)
        if self._gone(STOP_SECONDS):
            return
        self._signal(process, signal.SIGKILL)
        if not self._gone(5.0):
            raise ServiceError(f"Valkey does not stop: end process {process} by hand.")

    def _start(self) -> None:
        program = binaries.valkey_program(self.folder, self.account)
        home = self.folder / "kv"
        home.mkdir(exist_ok=True)
        home.chmod(0o711 if self.account.switch else 0o700)
        places.own_folder(self.data, self.account)
        if "password" not in self.state():
            self.mark(password=secrets.token_hex(24))
        port: int | None = self.state().get("port")
        for attempt in range(START_ATTEMPTS):
            port = free_port(port)
            self.mark(port=port)
            # Read from standard input: the password is in no file of the server's account.
            self.account.run([program, "-"], stdin=self._settings(port))
            if self._answers():
                return
            port = None
            time.sleep(0.1 * (attempt + 1))
        raise ServiceError(
            f"Valkey did not start: {places.last_line(self.log)} (the whole log is {self.log});"
            " correct that, or set REDIS_URL to a running server."
        )

    def _settings(self, port: int) -> str:
        lines = {
            "bind": LOOPBACK,
            "protected-mode": "yes",
            "port": str(port),
            "requirepass": str(self.state()["password"]),
            "dir": _quoted(self.data),
            "logfile": _quoted(self.log),
            "pidfile": _quoted(self._pid_file),
            "daemonize": "yes",
            "appendonly": "no" if self.throwaway else "yes",
            "save": '""',
            "maxmemory-policy": "noeviction",
            "databases": "64",
        }
        return "".join(f"{key} {value}\n" for key, value in lines.items())

    def _answers(self) -> bool:
        deadline = time.monotonic() + START_SECONDS
        started = time.monotonic()
        while time.monotonic() < deadline:
            if self.running():
                return True
            # It forks before it listens, so a taken port shows only as a missing process.
            if time.monotonic() - started > 0.5 and self._process() is None:
                return False
            time.sleep(0.02)
        return False

    def _client(self) -> redis.Redis:
        state = self.state()
        # The client's own retries would report a closed port only after seconds.
        return redis.Redis(
            host=LOOPBACK,
            port=state["port"],
            password=state["password"],
            socket_connect_timeout=2,
            socket_timeout=5,
            retry=Retry(NoBackoff(), 0),
        )

    @property
    def _pid_file(self) -> Path:
        return self.data / "pid"

    def _process(self) -> int | None:
        try:
            process = int(self._pid_file.read_text("ascii"))
            os.kill(process, 0)
            command = Path(f"/proc/{process}/cmdline").read_bytes()
        except PermissionError:
            return None
        except FileNotFoundError:
            # A system without /proc: the number is all there is to go by.
            return None if not self._pid_file.exists() or Path("/proc/self").exists() else process
        except (OSError, ValueError):
            return None
        port = self.state().get("port")
        return process if f":{port}".encode() in command and b"valkey" in command else None

    def _signal(self, process: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(process, number)

    def _gone(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self._process() is None:
                return True
            time.sleep(0.02)
        return False


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
