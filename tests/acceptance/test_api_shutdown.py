"""The web server as it runs: told to end under load, it fails no request."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from memorykit_app.domain.actors import Capability
from tests.hosting import mint
from tests.records import SCOPE, active
from tests.workers import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
CLIENTS = 6


def web(listener: socket.socket, environment, log) -> subprocess.Popen[bytes]:
    """Start the server as the supervisor does: the listening socket is not its own."""
    command = [
        *(sys.executable, "-m", "gunicorn", "project.wsgi:application"),
        *("--bind", f"fd://{listener.fileno()}", "--workers", "1", "--threads", "24"),
        *("--worker-class", "gthread", "--graceful-timeout", "10", "--no-control-socket"),
    ]
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment, "DATABASE_POOL": "1"},
            stdout=out,
            stderr=out,
            pass_fds=(listener.fileno(),),
        )


def test_a_server_that_is_told_to_end_under_load_fails_no_request(process_environment, tmp_path):
    active()
    log = tmp_path / "web.log"
    headers = {"Authorization": f"Bearer {mint(Capability.READ)[1]}"}
    told: Counter[object] = Counter()
    done = threading.Event()

    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1/projects/{SCOPE.subject_id}/recall"

        def call() -> None:
            while not done.is_set():
                try:
                    answer = httpx2.post(url, json={"query": "office"}, headers=headers, timeout=60)
                    told[answer.status_code] += 1
                except httpx2.HTTPError as error:
                    told[type(error).__name__] += 1

        first = web(listener, process_environment, log)
        second = None
        callers = [threading.Thread(target=call) for _ in range(CLIENTS)]
        try:
            for caller in callers:
                caller.start()
            wait_for(lambda: told.total() >= 4 * CLIENTS)
            first.terminate()
            # The one that follows is there before the first has ended.
            second = web(listener, process_environment, log)
            first.wait(timeout=30)
            before = told.total()
            wait_for(lambda: told.total() >= before + 4 * CLIENTS)
        finally:
            done.set()
            for caller in callers:
                caller.join(timeout=60)
            for server in (first, second):
                if server is not None:
                    server.terminate()
                    server.wait(timeout=30)

    assert first.returncode == 0, log.read_text()
    assert set(told) <= {200, 429}, told
