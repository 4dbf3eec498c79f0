"""Query vectors: kept for questions asked again, made in one thread, never waited for longer."""

from __future__ import annotations

import hmac
import logging
import math
import os
import secrets
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

from memorykit_app import backends
from memorykit_app.backends.base import Embedder
from memorykit_app.backends.circuit import Circuit
from memorykit_app.domain.errors import BackendError

# At 384 dimensions 3 KiB each.
CACHED = 2_048
_log = logging.getLogger(__name__)


class Reason(StrEnum):
    """How an attempt ended; free of content."""

    CACHED = "cached"
    EMBEDDED = "embedded"
    TIMEOUT = "timeout"
    CIRCUIT_OPEN = "circuit_open"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of asking for a vector in time; `vector` is None when `reason` says why."""

    vector: list[float] | None
    reason: Reason


class QueryVectors:
    """Keeps the vectors of the last `size` questions of this process.

    A question is kept only as its HMAC under a key that no other process has. Safe to share
    between threads.
    """

    def __init__(self, embedder: Embedder, size: int = CACHED) -> None:
        self.embedder = embedder
        self._size = size
        self._key = secrets.token_bytes(32)
        self._kept: OrderedDict[bytes, array[float]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def cached(self, text: str) -> list[float] | None:
        """Return the vector when it is kept."""
        with self._lock:
            found = self._kept.get(mark := self._mark(text))
            if found is None:
                return None
            self._kept.move_to_end(mark)
            return found.tolist()

    def vector(self, text: str) -> list[float]:
        """Return the vector of a question. Raises BackendError."""
        found = self.cached(text)
        if found is None:
            found = self.embedder.embed_query(text)
            if _sound(found, self.embedder.dimension):
                self._keep(text, found)
        return found

    def _keep(self, text: str, vector: Sequence[float]) -> None:
        with self._lock:
            self._kept[self._mark(text)] = array("d", vector)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def _mark(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), "sha256")


class TimedVectors:
    """Asks for vectors in one thread, waits no longer than told, and rests a failing part."""

    def __init__(self, vectors: QueryVectors, circuit: Circuit) -> None:
        self.vectors = vectors
        self.circuit = circuit
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="query-vector")

    def attempt(self, text: str, timeout: float) -> Attempt:
        """Return the vector, or why there is none within `timeout` seconds.

        A call that is late goes on alone and its vector is kept. Raises BackendError only for
        a part that is broken, which asking again does not mend.
        """
        kept = self.vectors.cached(text)
        if kept is not None:
            return Attempt(kept, Reason.CACHED)
        if timeout <= 0:
            return Attempt(None, Reason.TIMEOUT)
        if not self.circuit.enter():
            return Attempt(None, Reason.CIRCUIT_OPEN)
        try:
            future = self._pool.submit(self.vectors.vector, text)
        except RuntimeError:
            # No thread to be had: the process is ending, or the machine is full.
            self.circuit.failed()
            return Attempt(None, Reason.FAILED)
        if not wait([future], timeout).done:
            # One that still stands in line need not be made at all.
            future.cancel()
            self.circuit.failed()
            return Attempt(None, Reason.TIMEOUT)
        return self._outcome(future)

    def close(self) -> None:
        """Take no more questions; what is being made ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _outcome(self, future: Future[list[float]]) -> Attempt:
        error = future.exception()
        if error is None:
            self.circuit.succeeded()
            return Attempt(future.result(), Reason.EMBEDDED)
        if isinstance(error, BackendError) and error.recoverable:
            self.circuit.failed()
            return Attempt(None, Reason.FAILED)
        # It does answer. Were this a failure, the open circuit would pass a defect off as a rest.
        self.circuit.succeeded()
        if not isinstance(error, BackendError):
            # Only the type: the message of a foreign error may hold the question.
            _log.error("embedder raised %s", type(error).__name__)
        raise BackendError("embed", recoverable=False) from None


_serving: dict[str, TimedVectors] = {}
_lock = Lock()


def serving(profile: str = "") -> TimedVectors:
    """Return this process's own for a profile, by default the serving one."""
    embedder = backends.embedder(profile or None)
    with _lock:
        found = _serving.get(profile)
        if found is not None:
            if found.vectors.embedder is embedder:
                return found
            found.close()
        made = _serving[profile] = TimedVectors(QueryVectors(embedder), Circuit())
        return made


def attempt(text: str, timeout: float, profile: str = "") -> Attempt:
    """Return the vector of a question or why there is none; see `TimedVectors.attempt`."""
    return serving(profile).attempt(text, timeout)


def try_vector(text: str, timeout: float) -> list[float] | None:
    """Return the vector of a question, or None when it cannot be had within `timeout` seconds.

    Raises BackendError only for a part that is broken, which asking again does not mend.
    """
    return attempt(text, timeout).vector


def _sound(vector: Sequence[float], dimension: int) -> bool:
    return len(vector) == dimension and all(map(math.isfinite, vector)) and any(vector)


def _after_fork() -> None:
    # The parent's threads are not here, and one may have held the lock.
    global _lock
    _lock = Lock()
    _serving.clear()


os.register_at_fork(after_in_child=_after_fork)
