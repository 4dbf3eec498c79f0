"""`python -m project.run`: everything up, what to open, and down again on Ctrl-C."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from project.run import listener, notice, supervisor
from project.run.interrupt import Interrupt, RunStoppedError
from project.run.step import manage
from project.services import keys, places
from project.services.errors import InUseError, ServiceError
from project.services.stack import Stack, this_stack


def main() -> int:
    interrupt = Interrupt()
    interrupt.listen()
    try:
        stack = this_stack()
        places.prepare(stack.folder, stack.account)
        try:
            with places.locked(stack.folder, ".run.lock", wait=False):
                _run(stack, interrupt)
        except InUseError as error:
            raise ServiceError(_runs_already(stack.folder)) from error
    except RunStoppedError:
        _say("Stopped")
    except ServiceError as error:
        print(f"run: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


def _run(stack: Stack, interrupt: Interrupt) -> None:
    began = time.monotonic()
    secret = keys.development_keys(stack.folder, stack.account)
    logs = stack.folder / "logs"
    logs.mkdir(mode=0o700, exist_ok=True)
    with listener.listen() as socket:
        socket.set_inheritable(True)
        url = listener.url_of(socket)
        places.save(stack.folder / "run.json", {"url": url, "process": os.getpid()})
        desk: supervisor.Supervisor | None = None
        try:
            _say("Starting PostgreSQL and Valkey" if _own(stack) else "Checking the servers")
            urls = stack.up("run")
            environment = {
                "SECRET_KEY": secret["secret_key"],
                "MEMORYKIT_FINGERPRINT_KEY": secret["fingerprint_key"],
                **os.environ,
                **urls.environment(),
                "MEMORYKIT_DATA_DIR": str(stack.folder),
            }
            answer = manage("demo", environment=environment, interrupt=interrupt, say=_say)
            key = json.loads(answer)["host_key"]
            _say("Starting the web server, a worker and the sweeper")
            processes = supervisor.children(logs, socket.fileno())
            desk = supervisor.Supervisor(stack, urls, processes, environment, interrupt, _say)
            desk.start()
            desk.wait_until_ready(url)
            print(notice.text(url, secret["reviewer_password"], key, began), flush=True)
            desk.watch()
        finally:
            if desk is not None:
                desk.stop()
            if _own(stack):
                _say("Stopping Valkey and PostgreSQL")
                stack.down("run")
            (stack.folder / "run.json").unlink(missing_ok=True)
    _say("Stopped")


def _runs_already(folder: Path) -> str:
    other = places.load(folder / "run.json")
    where = f" at {other['url']}" if "url" in other else ""
    return f"This checkout already runs{where}: use that one, or stop it with Ctrl-C first."


def _own(stack: Stack) -> bool:
    return not (stack.database_url and stack.redis_url)


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
