"""Looks after the processes of a run until somebody ends it, and stops them in order."""

from __future__ import annotations

import http.client
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from project.run.child import Child
from project.run.interrupt import Interrupt
from project.run.step import MANAGE
from project.services.errors import ServiceError
from project.services.stack import Stack, Urls

READY_SECONDS = 60.0
#: How often our own servers are asked whether they live.
SERVERS_EVERY = 3.0


def children(logs: Path, listener: int) -> list[Child]:
    """Return the processes of a run in the order in which they are stopped."""
    manage = [sys.executable, str(MANAGE)]
    web = [
        *(sys.executable, "-m", "gunicorn", "project.wsgi:application"),
        *("--bind", f"fd://{listener}", "--workers", "1", "--threads", "24"),
        # No preloading: a pool that is open before the fork is shared by both sides.
        *("--worker-class", "gthread", "--graceful-timeout", "10", "--no-control-socket"),
        *("--timeout", "60", "--access-logfile", "/dev/null"),
    ]
    worker = [
        *(*manage, "rqworker", "memorykit"),
        *("--worker-class", "memorykit_app.tasks.MemorykitWorker"),
        *("--serializer", "rq.serializers.JSONSerializer", "--worker-ttl", "60"),
    ]
    return [
        Child("web", web, logs / "web.log", patience=15.0, pass_fds=(listener,)),
        Child("worker", worker, logs / "worker.log", patience=20.0),
        Child("sweeper", [*manage, "memorykit_sweep", "--loop"], logs / "sweeper.log", 10.0),
    ]


@dataclass(slots=True)
class Supervisor:
    """The running processes, and the servers below them."""

    stack: Stack
    urls: Urls
    processes: list[Child]
    environment: Mapping[str, str]
    interrupt: Interrupt
    say: Callable[[str], None]

    def start(self) -> None:
        for child in self.processes:
            child.start(self._environment_of(child))

    def wait_until_ready(self, url: str) -> None:
        """Wait for the web server's first good answer.

        Raises ServiceError when it does not come, naming the log.
        """
        deadline = time.monotonic() + READY_SECONDS
        while not _answers(url):
            self.interrupt.check()
            self._look_after()
            if time.monotonic() > deadline:
                log = self.processes[0].log
                raise ServiceError(
                    f"The web server does not answer at {url}: the reason is at the end of {log}."
                )
            time.sleep(0.1)

    def watch(self) -> None:
        """Start again what dies, until somebody asks to stop."""
        servers_due = time.monotonic() + SERVERS_EVERY
        while not self.interrupt.requested:
            self._look_after()
            if time.monotonic() >= servers_due:
                self._look_after_servers()
                servers_due = time.monotonic() + SERVERS_EVERY
            self.interrupt.sleep(0.2)

    def stop(self) -> None:
        """End web, worker and sweeper, in this order."""
        for child in self.processes:
            if child.process is not None:
                self.say(f"Stopping {child.name}")
            child.stop(self.interrupt)

    def _look_after(self) -> None:
        for child in self.processes:
            child.look_after(self._environment_of(child), self.say)

    def _look_after_servers(self) -> None:
        own = {
            "PostgreSQL": None if self.stack.database_url else self.stack.postgres,
            "Valkey": None if self.stack.redis_url else self.stack.valkey,
        }
        dead = [name for name, server in own.items() if server and not server.running()]
        if not dead or self.interrupt.requested:
            return
        self.say(f"{' and '.join(dead)} ended, starting again")
        try:
            urls = self.stack.up("run")
        except ServiceError as error:
            self.say(str(error))
            return
        if urls != self.urls:
            # On another port, so everybody needs the new address.
            self.urls = urls
            self.environment = {**self.environment, **urls.environment()}
            for child in self.processes:
                child.stop(self.interrupt)
                child.start(self._environment_of(child))

    def _environment_of(self, child: Child) -> dict[str, str]:
        # Workers fork, and a pool does not survive that.
        pool = "1" if child.name == "web" else ""
        return {**self.environment, "DATABASE_POOL": pool}


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
