"""Load on a running API from a process of its own: closed loops of clients, and an open one.

Reads one JSON plan from standard input and prints what came back as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

import aiohttp

_PATIENCE = aiohttp.ClientTimeout(total=30)
NO_ANSWER = 0


@dataclass(slots=True)
class Load:
    """What came back: when each call began (seconds), how long it took (ms), its status.

    `bare` counts refusals that did not say when to come back.
    """

    began: list[float] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    bare: int = 0


class Generator:
    """Sends the calls of a plan: `calls` in turn, each with the next of `keys`."""

    def __init__(self, plan: dict[str, Any], session: aiohttp.ClientSession) -> None:
        self._plan = plan
        self._session = session
        self._numbers = count(plan.get("first", 0))
        self._zero = time.monotonic()
        self.load = Load()

    async def closed(self) -> None:
        """Let `clients` call one after the other for `seconds`, or until the calls are through."""

        async def client() -> None:
            while time.monotonic() - self._zero < self._plan["seconds"]:
                number = next(self._numbers)
                if number >= self._plan.get("stop", sys.maxsize):
                    return
                await self._call(number)

        await asyncio.gather(*(client() for _ in range(self._plan["clients"])))

    async def open(self) -> None:
        """Begin `rate` calls a second for `seconds`, whether or not earlier ones came back."""
        running: set[asyncio.Task[None]] = set()
        each = 1 / self._plan["rate"]
        for turn in range(int(self._plan["seconds"] * self._plan["rate"])):
            due = self._zero + turn * each
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            task = asyncio.create_task(self._call(next(self._numbers)))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def _call(self, number: int) -> None:
        calls, keys = self._plan["calls"], self._plan["keys"]
        method, path, body = calls[number % len(calls)]
        headers = {
            "Authorization": f"Bearer {keys[number % len(keys)]}",
            "Idempotency-Key": f"{self._plan['name']}-{number}",
        }
        if body is not None:
            body = {name: _numbered(value, number) for name, value in body.items()}
        began = time.monotonic()
        try:
            async with self._session.request(
                method, self._plan["url"] + path, json=body, headers=headers
            ) as answer:
                await answer.read()
                status, says = answer.status, "Retry-After" in answer.headers
        except (aiohttp.ClientError, TimeoutError):
            status, says = NO_ANSWER, True
        self.load.began.append(began - self._zero)
        self.load.took_ms.append((time.monotonic() - began) * 1_000)
        self.load.statuses.append(status)
        self.load.bare += status in (429, 503) and not says


def _numbered(value: Any, number: int) -> Any:
    """Put the number of the call where a text asks for it, so that no two are alike."""
    return value.replace("{n}", str(number)) if isinstance(value, str) else value


@asynccontextmanager
async def _session() -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=_PATIENCE) as session:
        yield session


async def _main(plan: dict[str, Any]) -> Load:
    async with _session() as session:
        generator = Generator(plan, session)
        run: dict[str, Callable[[], Any]] = {"closed": generator.closed, "open": generator.open}
        await run[plan["loop"]]()
        return generator.load


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(_main(json.load(sys.stdin))))))
