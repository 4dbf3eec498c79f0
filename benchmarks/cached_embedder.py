"""The embedder that ships, with its vectors kept in a file: only the first run waits for them."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from memorykit_app.backends.base import Embedder
from memorykit_app.backends.local import LocalEmbedder

CACHE = Path(__file__).resolve().parents[1] / "var" / "bench" / "vectors.sqlite3"


class CachedEmbedder(Embedder):
    """Asks the local model for what is not in the file; `live` asks it for everything."""

    dimension = LocalEmbedder.dimension
    batch_size = 32
    live = False

    def __init__(self) -> None:
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        self._model = LocalEmbedder()
        with self._file() as file:
            file.execute(
                "CREATE TABLE IF NOT EXISTS vector (digest TEXT PRIMARY KEY, numbers BLOB NOT NULL)"
            )

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [
            self._vector("passage", text, lambda text: self._model.embed_passages([text])[0])
            for text in texts
        ]

    def embed_query(self, text: str) -> list[float]:
        if self.live:
            return self._model.embed_query(text)
        return self._vector("query", text, self._model.embed_query)

    def _file(self) -> sqlite3.Connection:
        return sqlite3.connect(CACHE, timeout=30)

    def _vector(self, role: str, text: str, make: Callable[[str], list[float]]) -> list[float]:
        digest = hashlib.sha256(f"e5-small-q4\0{role}\0{text}".encode()).hexdigest()
        with self._file() as file:
            row = file.execute("SELECT numbers FROM vector WHERE digest = ?", [digest]).fetchone()
            if row is not None:
                return array("f", row[0]).tolist()
            vector = make(text)
            numbers = array("f", vector).tobytes()
            file.execute("INSERT OR REPLACE INTO vector VALUES (?, ?)", [digest, numbers])
            return vector
