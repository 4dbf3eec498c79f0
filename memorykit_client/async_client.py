"""The client for asyncio: the same operations, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

import httpx2

from memorykit_client import calls
from memorykit_client.call import Call
from memorykit_client.client import settings
from memorykit_client.errors import ClientError, NoAnswer
from memorykit_client.records import Kind, Record, RevisionOut, State
from memorykit_client.retries import Retries
from memorykit_client.run import AsyncRun

P = ParamSpec("P")
T = TypeVar("T")


def _method(
    build: Callable[P, Call[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    async def method(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(build(*args, **kwargs))

    method.__name__, method.__doc__ = build.__name__, build.__doc__
    return method


class AsyncClient:
    """As `Client`, with methods that are awaited."""

    def __init__(
        self,
        url: str,
        key: str,
        project: str,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx2.AsyncClient(**settings(url, key, project, timeout), transport=transport)
        self._retries = retries or Retries()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

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

    async def memories(
        self,
        *,
        status: State | str | None = None,
        kind: Kind | str | None = None,
        key: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Record]:
        """Yield all records, `limit` of them a page."""
        cursor = None
        while True:
            page = await self.list_memories(
                status=status, kind=kind, key=key, limit=limit, cursor=cursor
            )
            for record in page.memories:
                yield record
            cursor = page.next_cursor
            if cursor is None:
                return

    async def revisions(
        self, memory_id: UUID | str, *, limit: int | None = None
    ) -> AsyncIterator[RevisionOut]:
        """Yield the revisions of a record, newest first, `limit` of them a page."""
        before = None
        while True:
            page = await self.list_revisions(memory_id, limit=limit, before_version=before)
            for revision in page.revisions:
                yield revision
            before = page.next_before_version
            if before is None:
                return

    def run(self, run_id: str, *, user_id: str) -> AsyncRun:
        """Return one run of a model, which keeps the failure flag."""
        return AsyncRun(self, run_id, user_id)

    async def send(self, call: Call[T]) -> T:
        """Make a call, again when that is safe and soon enough."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return call.result(await self._answer(call))
            except ClientError as error:
                wait = self._retries.wait(error, attempt, repeatable=call.repeatable)
                if wait is None:
                    raise
            await asyncio.sleep(wait)

    async def _answer(self, call: Call[T]) -> httpx2.Response:
        try:
            return await self._http.send(call.request(self._http))
        except httpx2.RequestError as error:
            raise NoAnswer(type(error).__name__) from None
