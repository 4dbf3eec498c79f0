"""The remote embedder: any service with an OpenAI-compatible `/v1/embeddings`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from memorykit_app.backends.base import Embedder
from memorykit_app.backends.transport import Endpoint
from memorykit_app.domain.errors import BackendError

# Of one request, so that its tokens stay within what services take at once.
REQUEST_CHARS = 100_000
# A number of a vector in JSON, and room around the vectors.
_NUMBER_BYTES = 32
_SPARE_BYTES = 64 * 1_024


class RemoteEmbedder(Embedder):
    """Embeds by HTTP and checks what comes back before anyone sees it.

    `base_url` is such as `https://host/v1`. A model that tells questions from passages takes
    `query_prefix` and `passage_prefix`; one that can shorten its vectors is asked to when
    `send_dimension` is set. `timeout_seconds` bounds a batch, `query_timeout_seconds` a
    question. Raises ValueError for an option that cannot be used.
    """

    batch_size = 32

    def __init__(
        self,
        base_url: str,
        model: str,
        dimension: int,
        api_key: str = "",
        *,
        ca_file: str = "",
        query_prefix: str = "",
        passage_prefix: str = "",
        send_dimension: bool = False,
        timeout_seconds: float = 60.0,
        query_timeout_seconds: float = 5.0,
    ) -> None:
        if not model.strip():
            raise ValueError("model must name the service's embedding model")
        if type(dimension) is not int or dimension < 1:
            raise ValueError("dimension must be a whole number above 0")
        if query_timeout_seconds <= 0:
            raise ValueError("query_timeout_seconds must be above 0")
        self.dimension = dimension
        self._model = model
        self._prefixes = (passage_prefix, query_prefix)
        self._send_dimension = send_dimension
        self._query_seconds = query_timeout_seconds
        self._endpoint = Endpoint(
            "embed",
            base_url,
            api_key=api_key,
            ca_file=ca_file,
            timeout_seconds=timeout_seconds,
            max_bytes=self.batch_size * dimension * _NUMBER_BYTES + _SPARE_BYTES,
        )

    def problems(self) -> list[str]:
        return self._endpoint.problems()

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        prefix = self._prefixes[0]
        found: list[list[float]] = []
        for part in _requests([prefix + text for text in texts], self.batch_size):
            found += self._ask(part, None)
        return found

    def embed_query(self, text: str) -> list[float]:
        return self._ask([self._prefixes[1] + text], self._query_seconds)[0]

    def _ask(self, texts: list[str], seconds: float | None) -> list[list[float]]:
        payload: dict[str, Any] = {
            "model": self._model,
            # Half a surrogate pair is no text to any service.
            "input": [text.encode("utf-8", "replace").decode() for text in texts],
            "encoding_format": "float",
        }
        if self._send_dimension:
            payload["dimensions"] = self.dimension
        answer = self._endpoint.post("/embeddings", payload, timeout_seconds=seconds)
        items = _items(answer)
        found = {_index(item): self._unit(item.get("embedding")) for item in items}
        if len(items) != len(texts) or set(found) != set(range(len(texts))):
            raise BackendError("embed", recoverable=False)
        return [found[index] for index in range(len(texts))]

    def _unit(self, vector: object) -> list[float]:
        """Return the vector with length 1. Raises BackendError unless it is one of ours."""
        if not isinstance(vector, list) or len(vector) != self.dimension:
            raise BackendError("embed", recoverable=False)
        if not all(type(number) in (int, float) for number in vector):
            raise BackendError("embed", recoverable=False)
        length = math.hypot(*vector)
        if length == 0 or not math.isfinite(length):
            raise BackendError("embed", recoverable=False)
        return [number / length for number in vector]


def _items(answer: dict[str, Any]) -> list[dict[str, Any]]:
    data = answer.get("data")
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise BackendError("embed", recoverable=False)
    return data


def _index(item: dict[str, Any]) -> int:
    index = item.get("index")
    return index if type(index) is int else -1


def _requests(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """Yield the texts in order, at most `most` and REQUEST_CHARS a request."""
    part: list[str] = []
    size = 0
    for text in texts:
        if part and (len(part) == most or size + len(text) > REQUEST_CHARS):
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield part
