"""The Python client against a live server: the whole tour, pages, and asyncio."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import django_rq
import pytest

from memorykit_app.domain.actors import Capability
from memorykit_client import AsyncClient, Client, Forbidden, NotFound
from tests.hosting import mint
from tests.records import SCOPE, active
from tests.workers import WorkerProcess

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
AGENT = (Capability.READ, Capability.PROPOSE, Capability.WRITE_EXPLICIT)


@pytest.fixture
def worker(transactional_db, process_environment, tmp_path):
    django_rq.get_connection("memorykit").flushdb()
    worker = WorkerProcess(process_environment, tmp_path / "worker.log")
    worker.start()
    yield worker
    worker.kill()


def test_the_whole_tour_holds(worker, live_server, process_environment):
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": process_environment["PATH"],
        "MEMORYKIT_URL": live_server.url,
        "MEMORYKIT_PROJECT": SCOPE.subject_id,
        "MEMORYKIT_AGENT_KEY": mint(*AGENT)[1],
        "MEMORYKIT_DESK_KEY": mint()[1],
    }

    done = subprocess.run(
        [sys.executable, "docs/client_tour.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        timeout=120,
    )

    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode() + worker.said()
    assert b"== Done" in done.stdout


@pytest.mark.usefixtures("records_clock")
def test_pages_are_followed_and_refusals_are_typed(live_server):
    made = {active(key=f"k{number}").pk for number in range(5)}
    secret = mint()[1]

    with Client(live_server.url, secret, SCOPE.subject_id) as memory:
        found = [record.id for record in memory.memories(limit=2)]
        one = memory.read_memory(found[0])
        sources = memory.read_sources(found[0]).sources
        history = list(memory.revisions(found[0], limit=1))
        with pytest.raises(NotFound) as missing:
            memory.read_memory(uuid4())
    with Client(live_server.url, secret, "elsewhere") as memory, pytest.raises(Forbidden):
        memory.recall("x")

    assert len(found) == 5
    assert set(found) == made
    assert sources == one.sources
    assert [revision.version for revision in history] == [1]
    assert (missing.value.code, bool(missing.value.request_id)) == ("memory_not_found", True)


@pytest.mark.usefixtures("records_clock")
def test_the_async_client_works_as_well(live_server):
    made = {active(key=f"k{number}").pk for number in range(3)}
    secret = mint()[1]

    async def talk():
        async with AsyncClient(live_server.url, secret, SCOPE.subject_id) as memory:
            found = {record.id async for record in memory.memories(limit=2)}
            (one, *_) = found
            history = [revision.version async for revision in memory.revisions(one, limit=1)]
            run = memory.run("run-1", user_id="u-1")
            words = {"kind": "fact", "key": "k", "content": "It rains.", "reason": "asked"}
            saved = await run.call("remember_project_memory", words)
            context = await run.context([{"role": "user", "content": "rains"}])
            tools = await memory.list_tools()
            run.validate_output()
            return found, history, saved, context, tools

    found, history, saved, context, tools = asyncio.run(talk())

    assert found == made
    assert history == [1]
    assert saved.result == "active"
    assert context.ids
    assert len(tools.openai) == 7
