"""Free ports on the loopback address."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def free_port(preferred: int | None = None) -> int:
    """Return the preferred port when nobody listens on it, else any free one."""
    if preferred:
        try:
            return _bind(preferred)
        except OSError:
            pass
    return _bind(0)


def _bind(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((LOOPBACK, port))
        return int(probe.getsockname()[1])
