"""MCP as a client of the official SDK sees it, over stdio and over streamable HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from memorykit_app.domain.actors import Capability
from memorykit_app.management.commands.memorykit_mcp import KEY
from memorykit_app.mcp.http import RUN_HEADER, USER_HEADER
from memorykit_app.mcp.server import META
from memorykit_app.models import Memory, Source, sealed
from memorykit_app.services import host_keys
from tests.commands import refusal
from tests.hosting import mint
from tests.records import OTHER, SCOPE, active
from tests.workers import ROOT, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
READS = ["search_memory", "read_memory"]
MANAGE = [sys.executable, "manage.py", "memorykit_mcp"]
WORDS = {
    "kind": "fact",
    "key": "office.city",
    "content": "The office is in Porto.",
    "reason": "The user asked for it.",
}


def documented():
    """Return the server as docs/mcp.md tells a client of it."""
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return json.loads(block)["mcpServers"]["memory"]


@asynccontextmanager
async def stdio(environment, secret, *arguments):
    server = StdioServerParameters(
        command=sys.executable,
        args=[*documented()["args"][:-1], SCOPE.subject_id, *arguments],
        env={**environment, **dict.fromkeys(documented()["env"], secret)},
        cwd=str(ROOT),
    )
    with open(os.devnull, "w") as quiet:
        async with Client(stdio_client(server, errlog=quiet)) as client:
            yield client


@pytest.fixture
def http_server(process_environment):
    """A server on a free port; gives its address, and must end cleanly when it is asked to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*MANAGE, "--http", f"127.0.0.1:{port}"],
        cwd=ROOT,
        env=process_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )

    def listens():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_for(listens)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        said, _errors = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM)
    assert said == b""


@asynccontextmanager
async def http(address, secret, project=SCOPE.subject_id, **headers):
    headers = {"Authorization": f"Bearer {secret}", **headers}
    async with httpx2.AsyncClient(headers=headers) as web:
        url = f"{address}/v1/projects/{project}/mcp"
        async with Client(streamable_http_client(url, http_client=web)) as client:
            yield client


def text(answer):
    (part,) = answer.content
    return part.text


def written():
    """Return who wrote the words of WORDS, and in which run."""
    with sealed(SCOPE):
        record = Memory.objects.in_scope(SCOPE).get(key=WORDS["key"])
        return record.created_by, Source.objects.in_scope(SCOPE).get(memory_id=record.pk).ref


def codes(answer):
    return answer.meta[META]


def test_a_local_client_searches_and_remembers_over_stdio(process_environment):
    record = active("The office is in Lisbon.", key="office.town", now=datetime.now(UTC))
    _key, secret = mint(Capability.READ, Capability.WRITE_EXPLICIT, Capability.PROPOSE)

    async def talk():
        async with stdio(process_environment, secret, "--run-id=run-7", "--user-id=u-12") as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool("search_memory", {"query": "Where is the office?"})
            saved = await client.call_tool("remember_project_memory", WORDS)
            return tools, found, saved

    tools, found, saved = anyio.run(talk)

    assert len(tools) <= 8
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
    assert [one["id"] for one in json.loads(text(found))] == [str(record.pk)]
    assert codes(saved)["result"] == "active"
    assert codes(saved)["write_failed"] is False
    assert written() == ("model:u-12", "agent-run:run-7")


def test_nothing_but_protocol_goes_to_standard_output(process_environment):
    _key, secret = mint(Capability.READ)
    process = subprocess.Popen(
        [*MANAGE, "--project", SCOPE.subject_id],
        cwd=ROOT,
        env={**process_environment, KEY: secret},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    asked = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"method": "tools/list", "id": 2},
        {"method": "tools/call", "id": 3, "params": {"name": "nothing", "arguments": {}}},
    ]  # fmt: skip
    process.stdin.write(
        "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked).encode()
    )
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.stdin.close()
    rest = process.stdout.read()
    process.wait(timeout=30)
    process.stdout.close()
    process.stderr.close()

    assert sorted(one["id"] for one in answers) == [1, 2, 3]
    assert rest == b""
    assert process.returncode == 0


def test_a_key_without_the_right_is_offered_no_writing_tool(process_environment):
    _key, secret = mint(Capability.READ)

    async def talk():
        async with stdio(process_environment, secret) as client:
            tools = (await client.list_tools()).tools
            return tools, await client.call_tool("remember_project_memory", WORDS)

    tools, refused = anyio.run(talk)

    assert [tool.name for tool in tools] == READS
    assert refused.is_error
    assert codes(refused)["write_failed"] is True
    assert codes(refused)["code"] == "forbidden"
    with sealed(SCOPE):
        assert not Memory.objects.in_scope(SCOPE).exists()


def test_a_revoked_key_is_refused_within_the_same_session(process_environment):
    key, secret = mint(Capability.READ)

    async def talk():
        async with stdio(process_environment, secret) as client:
            before = await client.call_tool("search_memory", {"query": "office"})
            await anyio.to_thread.run_sync(revoke)
            return before, await client.call_tool("search_memory", {"query": "office"})

    def revoke():
        from django.db import connection

        host_keys.revoke(key.prefix, now=datetime.now(UTC))
        connection.close()

    before, after = anyio.run(talk)

    assert not before.is_error
    assert after.is_error
    assert codes(after)["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("secret", "arguments", "code", "says"),
    [
        ("", ["--project=red"], 2, "MEMORYKIT_HOST_KEY"),
        ("mk_wrong", ["--project=red"], 1, "Send a valid host key"),
        (None, [], 2, "--project is needed"),
        (None, ["--project=blue"], 1, "does not open this project"),
        (None, ["--project=red", "--run-id=not an id"], 2, "run_id"),
        (None, ["--http=nowhere"], 2, "HOST:PORT"),
    ],
)
def test_a_server_that_cannot_serve_says_why(monkeypatch, secret, arguments, code, says):
    monkeypatch.setenv(KEY, mint(Capability.READ)[1] if secret is None else secret)

    exit_code, sentence = refusal("memorykit_mcp", *arguments)

    assert exit_code == code
    assert says in sentence


def test_remote_clients_each_bring_their_key(http_server):
    record = active("The office is in Lisbon.", key="office.town", now=datetime.now(UTC))
    active("The office is in Madrid.", key="office.town", scope=OTHER, now=datetime.now(UTC))
    _key, secret = mint(Capability.READ, Capability.WRITE_EXPLICIT, Capability.PROPOSE)

    async def talk():
        named = {RUN_HEADER: "run-9", USER_HEADER: "u-3"}
        async with http(http_server, secret, **named) as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool("search_memory", {"query": "Where is the office?"})
            saved = await client.call_tool("remember_project_memory", WORDS)
            mended = await client.call_tool("search_memory", {"query": "office", "scope": "blue"})
            return tools, found, saved, mended

    tools, found, saved, mended = anyio.run(talk)

    assert len(tools) == 7
    assert [one["id"] for one in json.loads(text(found))] == [str(record.pk)]
    assert codes(saved)["result"] == "active"
    assert written() == ("model:u-3", "agent-run:run-9")
    assert mended.is_error
    assert codes(mended)["code"] == "invalid_json"
    assert "blue" not in text(mended)


def test_who_is_not_let_in_gets_a_problem_over_http(http_server):
    _key, secret = mint(Capability.READ)
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    def status(project="red", **headers):
        answer = httpx2.post(
            f"{http_server}/v1/projects/{project}/mcp", json=asked, headers=headers
        )
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
        return answer.status_code, answer.json().get("code")

    good = {"Authorization": f"Bearer {secret}"}
    assert status() == (401, "unauthorized")
    assert status(Authorization="Bearer mk_wrong") == (401, "unauthorized")
    assert status(project="blue", **good) == (403, "forbidden")
    assert status(project="no such project", **good) == (403, "forbidden")
    assert status(**good, **{RUN_HEADER: "not an id!"})[0] == 400
    assert httpx2.get(f"{http_server}/elsewhere", headers=good).status_code == 404


def test_a_page_of_another_site_cannot_reach_a_local_server(http_server):
    _key, secret = mint(Capability.READ)

    answer = httpx2.post(
        f"{http_server}/v1/projects/red/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        headers={"Authorization": f"Bearer {secret}", "Origin": "http://127.0.0.1"},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
