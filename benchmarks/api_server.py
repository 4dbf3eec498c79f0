"""The processes of `make run` for a benchmark: web server, worker and sweeper."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from project.run.interrupt import Interrupt
from project.run.listener import url_of
from project.run.supervisor import Supervisor, children
from project.services.stack import Urls, this_stack


@contextmanager
def running(logs: Path) -> Iterator[str]:
    """Run them on the servers of this process's environment; yield the address of the API."""
    urls = Urls(os.environ["DATABASE_URL"], os.environ["REDIS_URL"])
    with socket.create_server(("127.0.0.1", 0), backlog=1_024) as listener:
        supervisor = Supervisor(
            stack=this_stack(),
            urls=urls,
            processes=children(logs, listener.fileno()),
            environment=os.environ | {"DJANGO_SETTINGS_MODULE": "project.settings"},
            interrupt=Interrupt(),
            say=lambda _: None,
        )
        supervisor.start()
        try:
            supervisor.wait_until_ready(url_of(listener))
            yield url_of(listener)
        finally:
            supervisor.stop()
