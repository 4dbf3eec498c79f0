"""The client against docs/openapi.json: every operation has a method, every field is known."""

from __future__ import annotations

import dataclasses
import inspect
import json
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import UUID

import pytest

from memorykit_app.tools import TOOLS
from memorykit_client import AsyncClient, Client, calls, records
from memorykit_client.call import Call

FILE = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"
DOCUMENT = json.loads(FILE.read_text(encoding="utf-8"))
SCHEMAS = DOCUMENT["components"]["schemas"]
PREFIX = "/v1/projects/{project}/"
ID = UUID("00000000-0000-7000-8000-000000000000")
MOMENT = datetime(2031, 1, 1, tzinfo=UTC)
OPERATIONS = {
    operation["operationId"]: (method.upper(), path.removeprefix(PREFIX), operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
#: Everything that a method can be told, under the names of the client.
FULL = {
    "query": "office",
    "keys": ["k"],
    "kinds": ["fact"],
    "items": 1,
    "tokens": 1,
    "as_of": MOMENT,
    "known_at": MOMENT,
    "run_id": "r",
    "explain": True,
    "messages": [{"role": "user", "content": "x"}],
    "metadata": {},
    "status": "active",
    "kind": "fact",
    "key": "k",
    "limit": 1,
    "cursor": "c",
    "content": "c",
    "reason": "r",
    "importance": 1,
    "confidence": 1.0,
    "valid_from": MOMENT,
    "valid_until": MOMENT,
    "sources": [{"kind": "k", "ref": "r", "evidence_hash": "h"}],
    "note": "n",
    "idempotency_key": "i",
    "memory_id": ID,
    "job_id": ID,
    "before_version": 1,
    "expected_version": 1,
    "verdict": "useful",
    "user_id": "u",
    "arguments": {},
}


def full_call(operation: str) -> Call:
    is_tool = operation.startswith("call_")
    build: Any = calls.call_tool if is_tool else getattr(calls, operation)
    given: dict[str, Any] = {"name": operation.removeprefix("call_")} if is_tool else {}
    for name in inspect.signature(build).parameters:
        given.setdefault(name, FULL.get(name))
    return build(**given)


def schema_of(content: dict) -> dict:
    schema = content["application/json"]["schema"]
    return SCHEMAS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def test_there_are_operations_to_look_at():
    assert len(OPERATIONS) > 20


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_has_a_method_of_the_same_name_in_both_clients(operation):
    name = "call_tool" if operation.startswith("call_") else operation

    assert callable(getattr(Client, name))
    assert inspect.iscoroutinefunction(getattr(AsyncClient, name))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_call_goes_where_the_operation_is_and_says_all_that_it_takes(operation):
    method, path, described = OPERATIONS[operation]

    call = full_call(operation)

    wanted = path.replace("{memory_id}", str(ID)).replace("{job_id}", str(ID))
    assert (call.method, unquote(call.path)) == (method, wanted)
    parameters = described["parameters"]
    assert set(call.query) == {one["name"] for one in parameters if one["in"] == "query"}
    headers = {one["name"] for one in parameters if one["in"] == "header"}
    # The version goes into the body, which may say it as well.
    assert set(call.headers) == headers - {"If-Match"}
    if "requestBody" not in described:
        assert call.body is None
        return
    schema = schema_of(described["requestBody"]["content"])
    if schema["type"] == "array":
        assert isinstance(call.body, list)
        return
    # An idempotency key may stand in the body or the header.
    assert set(call.body) == set(schema["properties"]) - {"idempotency_key"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_answer_is_read_into_the_described_fields(operation):
    _, _, described = OPERATIONS[operation]
    ((_, success),) = [
        (status, answer) for status, answer in described["responses"].items() if status < "300"
    ]
    shape = full_call(operation).answers

    if shape is None:
        assert "content" not in success
    else:
        reference = success["content"]["application/json"]["schema"]["$ref"]
        assert reference.rpartition("/")[2] == shape.__name__


@pytest.mark.parametrize(
    "shape",
    [
        shape
        for shape in vars(records).values()
        if isinstance(shape, type) and dataclasses.is_dataclass(shape)
    ],
    ids=lambda shape: shape.__name__,
)
def test_a_record_has_exactly_the_fields_of_its_schema(shape):
    schema = SCHEMAS[shape.__name__]
    fields = {field.name: field for field in dataclasses.fields(shape)}

    assert set(fields) == set(schema["properties"])
    needed = {name for name, field in fields.items() if field.default is dataclasses.MISSING}
    assert needed == set(schema["required"])
    for name, one in schema["properties"].items():
        nullable = any(part.get("type") == "null" for part in one.get("anyOf", []))
        assert nullable == str(fields[name].type).endswith("| None"), name


@pytest.mark.parametrize(
    "words",
    [
        words
        for words in vars(records).values()
        if isinstance(words, type) and issubclass(words, StrEnum) and words is not StrEnum
    ],
    ids=lambda words: words.__name__,
)
def test_a_word_list_is_that_of_its_schema(words):
    assert [str(word) for word in words] == SCHEMAS[words.__name__]["enum"]


def test_the_tools_and_which_of_them_write_are_the_servers():
    assert {tool.name: tool.writes for tool in TOOLS} == dict(calls.TOOLS)
    assert {f"call_{name}" for name in calls.TOOLS} == {
        name for name in OPERATIONS if name.startswith("call_")
    }
