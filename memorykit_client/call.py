"""Call: one request of the API as data, and what its answer becomes. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx2

from memorykit_client import decoding, errors
from memorykit_client.retries import seconds_in

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """`path` is beneath the project. `repeatable`: a second try does no more than the first.

    `answers` is None for operations that answer with nothing.
    """

    method: str
    path: str
    answers: type[T] | None = None
    body: Any = field(default=None, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    repeatable: bool = True

    def request(self, client: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """Return the request. Raises ValueError for a body that is no JSON."""
        content = None
        headers = {"Accept": "application/json, application/problem+json", **self.headers}
        if self.body is not None:
            content = json.dumps(self.body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        return client.build_request(
            self.method, self.path, params=self.query, content=content, headers=headers
        )

    def result(self, response: httpx2.Response) -> T:
        """Return what the answer says. Raises Problem or UnexpectedAnswer."""
        status = response.status_code
        if not response.is_success:
            waiting = seconds_in(response.headers.get("Retry-After"))
            raise errors.problem(status, _json(response), waiting)
        if self.answers is None:
            return None  # type: ignore[return-value]
        try:
            return decoding.decode(self.answers, _json(response))
        except decoding.NotUnderstood:
            raise errors.UnexpectedAnswer(status) from None


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None
