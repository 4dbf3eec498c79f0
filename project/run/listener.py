"""The web server's socket, held by the run so that a restart of the server loses no caller."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from project.services.errors import ServiceError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
TRIES = 50


def listen(environ: Mapping[str, str] = os.environ) -> socket.socket:
    """Return a listening socket: on MEMORYKIT_PORT, else on the first free port from 8000.

    Raises ServiceError when the wanted port cannot be had.
    """
    host = environ.get("MEMORYKIT_HOST") or DEFAULT_HOST
    if wanted := environ.get("MEMORYKIT_PORT"):
        if not (wanted.isdigit() and 0 < int(wanted) < 65536):
            raise ServiceError("MEMORYKIT_PORT must be a number from 1 to 65535.")
        ports: list[int] = [int(wanted)]
    else:
        ports = [*range(DEFAULT_PORT, DEFAULT_PORT + TRIES), 0]
    reason = ""
    for port in ports:
        try:
            return _bound(host, port)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
    raise ServiceError(
        f"The web server cannot listen on {host} port {ports[0]} ({reason}): set MEMORYKIT_PORT"
        " to a free port and MEMORYKIT_HOST to an address of this machine."
    )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address to open in a browser on this machine."""
    host, port = listener.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104
        host = DEFAULT_HOST
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
