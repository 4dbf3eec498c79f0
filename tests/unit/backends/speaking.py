"""A local HTTP server that speaks the protocol of model services, well or badly."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789"


@dataclass(kw_only=True)
class Reply:
    """What the server sends; `body` is JSON unless it is bytes.

    `cut` leaves out that many bytes of the announced length, `drip` is the pause in seconds
    after each byte, `hang` one before anything is sent.
    """

    body: Any = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    drip: float = 0.0
    hang: float = 0.0
    reset: bool = False


@dataclass
class Heard:
    path: str
    headers: dict[str, str]
    body: Any


Script = Callable[[Any], Reply]


class Service:
    """Where the server listens and what it heard."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.heard: list[Heard] = []
        self.url = ""
        self.done = threading.Event()


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.heard.append(Heard(self.path, headers, body))
            reply = service.script(body)
            self.close_connection = bool(reply.cut or reply.drip or reply.hang or reply.reset)
            try:
                self._send(reply)
            except OSError:
                # The client went away, as some tests want it to.
                self.close_connection = True

        def _send(self, reply: Reply) -> None:
            service.done.wait(reply.hang)
            if reply.reset:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(data)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            for start in range(0, len(data) - reply.cut, 1 if reply.drip else len(data) or 1):
                end = start + 1 if reply.drip else len(data) - reply.cut
                self.wfile.write(data[start:end])
                if service.done.wait(reply.drip):
                    return

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def serving(script: Script) -> Iterator[Service]:
    """Serve `script`, which turns a request's JSON into a Reply, until the block ends."""
    service = Service(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service))
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    # Kept open, a connection would keep its thread.
    server.daemon_threads = True
    try:
        yield service
    finally:
        service.done.set()
        server.shutdown()
        thread.join()
        server.server_close()
