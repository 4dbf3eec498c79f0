"""Run: the tools of one run of a model, and the flag that a failed write leaves for good."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memorykit_client.calls import TOOLS
from memorykit_client.errors import InvalidArguments, WriteFailed
from memorykit_client.records import ContextOut, ToolOut

if TYPE_CHECKING:
    from memorykit_client.async_client import AsyncClient
    from memorykit_client.client import Client

Arguments = str | bytes | Mapping[str, Any]


class _Flagged:
    """The flag of a run. It starts down, and once up no later success takes it down."""

    def __init__(self) -> None:
        self._write_failed = False

    @property
    def write_failed(self) -> bool:
        """Tell whether a write of this run did not come about, or nobody knows whether it did."""
        return self._write_failed

    def validate_output(self) -> None:
        """Let the model's output pass. Raises WriteFailed after a failed write."""
        if self._write_failed:
            raise WriteFailed

    @contextmanager
    def _watching(self, name: str) -> Iterator[None]:
        try:
            yield
        except BaseException:
            # Also when it was given up half-way: then nobody knows.
            if TOOLS.get(name, False):
                self._write_failed = True
            raise

    def _noted(self, result: ToolOut) -> ToolOut:
        if result.write_failed:
            self._write_failed = True
        return result


class Run(_Flagged):
    """One run of a model for one user; both ids are the host's own and opaque."""

    def __init__(self, client: Client, run_id: str, user_id: str) -> None:
        super().__init__()
        self._client, self._run_id, self._user_id = client, run_id, user_id

    def context(
        self, messages: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any] | None = None
    ) -> ContextOut:
        """Return the messages with what memory has."""
        return self._client.project_context(messages, metadata, run_id=self._run_id)

    def call(self, name: str, arguments: Arguments) -> ToolOut:
        """Call a tool with the arguments as the model wrote them, or parsed.

        Raises ToolNotFound, InvalidArguments and what calls raise; the flag is set all the same.
        """
        with self._watching(name):
            result = self._client.call_tool(
                name, parsed(arguments), run_id=self._run_id, user_id=self._user_id
            )
        return self._noted(result)


class AsyncRun(_Flagged):
    """As `Run`, awaited."""

    def __init__(self, client: AsyncClient, run_id: str, user_id: str) -> None:
        super().__init__()
        self._client, self._run_id, self._user_id = client, run_id, user_id

    async def context(
        self, messages: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any] | None = None
    ) -> ContextOut:
        """Return the messages with what memory has."""
        return await self._client.project_context(messages, metadata, run_id=self._run_id)

    async def call(self, name: str, arguments: Arguments) -> ToolOut:
        """Call a tool, as `Run.call`."""
        with self._watching(name):
            result = await self._client.call_tool(
                name, parsed(arguments), run_id=self._run_id, user_id=self._user_id
            )
        return self._noted(result)


def parsed(arguments: Arguments) -> Mapping[str, Any]:
    """Return the arguments as one object. Raises InvalidArguments.

    They are parsed here, for text put into a body as it is could bring fields of its own.
    """
    if isinstance(arguments, Mapping):
        return arguments
    try:
        found = json.loads(arguments, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError):
        raise InvalidArguments("the arguments are not one JSON object") from None
    if not isinstance(found, dict):
        raise InvalidArguments("the arguments are not one JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refused(constant: str) -> None:
    raise ValueError("no such number")
