"""mem0 on the same server with pgvector: same rows, same vectors, no model call."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"

from mem0 import Memory
from tqdm import tqdm

from benchmarks.speed_data import DIMENSION, Record

VERSION = version("mem0ai")


class Mem0:
    """One mem0 store whose users are the scopes; `vectors` gives the vectors of the questions."""

    def __init__(self, server: Mapping[str, Any], scopes: Mapping[int, Sequence[Record]]) -> None:
        self.vectors: dict[str, list[float]] = {}
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "pgvector",
                    "config": {
                        "collection_name": "mem0",
                        "embedding_model_dims": DIMENSION,
                        "dbname": server["NAME"],
                        "user": server["USER"],
                        "password": server["PASSWORD"],
                        "host": server["HOST"],
                        "port": int(server["PORT"]),
                    },
                },
                # Never called: infer=False, and the vectors are given.
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "embedder": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = self
        for size, records in scopes.items():
            self.vectors = {record.text: record.vector.tolist() for record in records}
            for record in tqdm(records, desc=f"mem0 {size}", leave=False, disable=None):
                self._memory.add(record.text, user_id=str(size), infer=False)

    def search(self, scope: int, text: str) -> list[Any]:
        found = self._memory.search(text, top_k=10, filters={"user_id": str(scope)})
        return list(found["results"])

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.vectors[text]

    def embed_batch(
        self, texts: Sequence[str], memory_action: str | None = None
    ) -> list[list[float]]:
        return [self.vectors[text] for text in texts]
