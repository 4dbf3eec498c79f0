"""A real worker as a process of its own, for tests that stop, pause and kill it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [
    *(sys.executable, "manage.py", "rqworker", "memorykit"),
    *("--worker-class", "memorykit_app.tasks.MemorykitWorker"),
    *("--serializer", "rq.serializers.JSONSerializer", "--worker-ttl", "10"),
]


class WorkerProcess:
    """Worker and forked child: a signal reaches both, though RQ gives the child its own group."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        #: The processes that the last kill ended.
        self.killed: list[int] = []

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(
                COMMAND,
                cwd=ROOT,
                env=self._environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def signal(self, number: signal.Signals) -> None:
        for pid in session_of(self.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End worker and child at once, as a lost machine would."""
        if self._process is not None:
            self.killed = session_of(self.pid)
            self.signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def stop(self) -> int:
        """Ask the worker to end and return its exit status."""
        assert self._process is not None
        self._process.terminate()
        status = self._process.wait(timeout=30)
        self._process = None
        return status

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def said(self) -> str:
        return self._log.read_text("utf-8", "replace")


def session_of(leader: int) -> list[int]:
    """Return the processes of a session, the leader first."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            pid = int(entry.name)
            if os.getsid(pid) == leader:
                found.append(pid)
    return sorted(found, key=lambda pid: pid != leader)


def wait_for(happened: Callable[[], object], *, seconds: float = 40, every: float = 0.05) -> None:
    """Poll until something has happened. Raises AssertionError when it does not."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(every)
