"""The client that waits: one project of one server, opened by one host key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote
from uuid import UUID

import httpx2

from memorykit_client import calls
from memorykit_client.call import Call
from memorykit_client.errors import ClientError, NoAnswer
from memorykit_client.records import Kind, Record, RevisionOut, State
from memorykit_client.retries import Retries
from memorykit_client.run import Run

P = ParamSpec("P")
T = TypeVar("T")


def _method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Client, P], T]:
    def method(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(build(*args, **kwargs))

    method.__name__, method.__doc__ = build.__name__, build.__doc__
    return method


def settings(url: str, key: str, project: str, timeout: float) -> dict[str, Any]:
    """Return what both clients tell the HTTP library: where, who, and no redirects."""
    return {
        "base_url": f"{url.rstrip('/')}/v1/projects/{quote(project, safe='')}/",
        "headers": {"Authorization": f"Bearer {key}"},
        "timeout": timeout,
        "follow_redirects": False,
    }


class Client:
    """Methods are the operations of the API and take what `memorykit_client.calls` takes.

    Each raises Problem or one of its kinds, NoAnswer or UnexpectedAnswer. `timeout` is in
    seconds for each try; `transport` is for hosts with proxies of their own, and for tests.
    """

    def __init__(
        self,
        url: str,
        key: str,
        project: str,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._http = httpx2.Client(**settings(url, key, project, timeout), transport=transport)
        self._retries = retries or Retries()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    recall = _method(calls.recall)
    project_context = _method(calls.project_context)
    list_memories = _method(calls.list_memories)
    create_memory = _method(calls.create_memory)
    read_memory = _method(calls.read_memory)
    read_sources = _method(calls.read_sources)
    list_revisions = _method(calls.list_revisions)
    activate = _method(calls.activate)
    dismiss = _method(calls.dismiss)
    forget = _method(calls.forget)
    restore = _method(calls.restore)
    revert = _method(calls.revert)
    correct = _method(calls.correct)
    erase = _method(calls.erase)
    give_feedback = _method(calls.give_feedback)
    count_feedback = _method(calls.count_feedback)
    list_tools = _method(calls.list_tools)
    call_tool = _method(calls.call_tool)
    submit_transcript = _method(calls.submit_transcript)
    read_extraction = _method(calls.read_extraction)

    def memories(
        self,
        *,
        status: State | str | None = None,
        kind: Kind | str | None = None,
        key: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """Yield all records, `limit` of them a page."""
        cursor = None
        while True:
            page = self.list_memories(status=status, kind=kind, key=key, limit=limit, cursor=cursor)
            yield from page.memories
            cursor = page.next_cursor
            if cursor is None:
                return

    def revisions(
        self, memory_id: UUID | str, *, limit: int | None = None
    ) -> Iterator[RevisionOut]:
        """Yield the revisions of a record, newest first, `limit` of them a page."""
        before = None
        while True:
            page = self.list_revisions(memory_id, limit=limit, before_version=before)
            yield from page.revisions
            before = page.next_before_version
            if before is None:
                return

    def run(self, run_id: str, *, user_id: str) -> Run:
        """Return one run of a model, which keeps the failure flag."""
        return Run(self, run_id, user_id)

    def send(self, call: Call[T]) -> T:
        """Make a call, again when that is safe and soon enough."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return call.result(self._answer(call))
            except ClientError as error:
                wait = self._retries.wait(error, attempt, repeatable=call.repeatable)
                if wait is None:
                    raise
            time.sleep(wait)

    def _answer(self, call: Call[T]) -> httpx2.Response:
        try:
            return self._http.send(call.request(self._http))
        except httpx2.RequestError as error:
            # The library's own text may hold the address.
            raise NoAnswer(type(error).__name__) from None
