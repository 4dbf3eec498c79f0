"""An authorizer of the host's, asked in a thread of its own and not waited for without end.

It may ask a directory over the network, and one that hangs there must not hold a web process.
"""

from __future__ import annotations

import contextvars
import os
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock

from django.db import connections

from memorykit_app import backends, conf
from memorykit_app.backends.base import Authorizer, Target
from memorykit_app.backends.circuit import Circuit
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope

THREADS = 8


class TimedAuthorizer:
    """Asks, waits `seconds` at most, and rests one that keeps being late."""

    def __init__(self, authorizer: Authorizer, seconds: float) -> None:
        self.authorizer = authorizer
        self.seconds = seconds
        self._circuit = Circuit()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="authorizer")

    def allows(self, principal: Principal, verb: str, scope: Scope, target: Target) -> object:
        """Return its answer. Raises what it raises, and TimeoutError when it is late."""
        if self.authorizer.asks_this_database:
            return self.authorizer.allows(principal, verb, scope, target)
        if not self._circuit.enter():
            raise TimeoutError
        ask = contextvars.copy_context().run
        future = self._pool.submit(ask, self._answer, principal, verb, scope, target)
        if not wait([future], self.seconds).done:
            future.cancel()
            self._circuit.failed()
            raise TimeoutError
        # An error is an answer too: it came in time.
        self._circuit.succeeded()
        return future.result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, principal: Principal, verb: str, scope: Scope, target: Target) -> object:
        try:
            return self.authorizer.allows(principal, verb, scope, target)
        finally:
            # No request ends in this thread, so nobody else gives its connection back.
            connections.close_all()


_kept: TimedAuthorizer | None = None
_lock = Lock()


def serving() -> TimedAuthorizer:
    """Return this process's own, as MEMORYKIT[AUTHORIZER] and [AUTHORIZER_SECONDS] say."""
    global _kept
    authorizer, seconds = backends.authorizer(), conf.settings().authorizer_seconds
    with _lock:
        if _kept is None or (_kept.authorizer, _kept.seconds) != (authorizer, seconds):
            if _kept is not None:
                _kept.close()
            _kept = TimedAuthorizer(authorizer, seconds)
        return _kept


def _after_fork() -> None:
    # The parent's threads are not here, and one may have held the lock.
    global _lock, _kept
    _lock, _kept = Lock(), None


os.register_at_fork(after_in_child=_after_fork)
