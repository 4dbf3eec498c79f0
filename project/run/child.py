"""One process of the run: started, started again when it dies, ended with all it started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from project.run.interrupt import Interrupt
from project.services import places

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
#: A process that lived this long is healthy, and its next death starts a new count.
HEALTHY_SECONDS = 60.0
_SET_PARENT_DEATH_SIGNAL = 1
_LARGEST_LOG = 10 * 1024 * 1024


@dataclass(slots=True)
class Child:
    """A command and the process that runs it now; times are seconds."""

    name: str
    command: Sequence[str]
    log: Path
    patience: float
    pass_fds: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    _born: float = field(default=0.0, repr=False)
    _due: float = field(default=0.0, repr=False)

    def start(self, environment: Mapping[str, str]) -> None:
        with open(_fresh(self.log), "ab", opener=_private) as log:
            self.process = subprocess.Popen(
                list(self.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=places.ROOT,
                pass_fds=self.pass_fds,
                # A session of its own: Ctrl-C is for us, who stop things in order.
                start_new_session=True,
                preexec_fn=_dies_with_parent(),
            )
        self._born = time.monotonic()

    def look_after(self, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        """Start the process again when it is dead and its pause is over."""
        now = time.monotonic()
        if self.process is not None:
            status = self.process.poll()
            if status is None:
                return
            _kill_session(self.process.pid)
            self.process = None
            self.deaths = 1 if now - self._born > HEALTHY_SECONDS else self.deaths + 1
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self.deaths - 1))
            self._due = now + pause
            say(
                f"{self.name} ended (status {status}), starting again in {pause:.0f} s;"
                f" its log is {self.log}"
            )
        elif now >= self._due:
            self.start(environment)

    def stop(self, interrupt: Interrupt) -> None:
        """End the process: politely, then more firmly, at once when somebody is in a hurry."""
        process, self.process = self.process, None
        if process is None:
            return
        # The second SIGTERM tells an RQ worker to give up the job that it is doing.
        for seconds in (self.patience, 5.0):
            if interrupt.hurried or process.poll() is not None:
                break
            process.terminate()
            _wait(process, seconds, interrupt)
        _kill_session(process.pid)
        process.wait()


def _fresh(log: Path) -> Path:
    if log.exists() and log.stat().st_size > _LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return log


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _wait(process: subprocess.Popen[bytes], seconds: float, interrupt: Interrupt) -> None:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline and not interrupt.hurried:
        time.sleep(0.05)


def _kill_session(session: int) -> None:
    """Kill what a process left behind: RQ gives each job's process a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name in brackets may hold anything, so count from its end.
            fields = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(entry.parent.name), signal.SIGKILL)


def _dies_with_parent() -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    library, parent = ctypes.CDLL(None), os.getpid()

    def before_exec() -> None:
        # A run that is killed cannot stop its processes; the kernel then tells them.
        library.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return before_exec
