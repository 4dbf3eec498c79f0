"""Tools: what a model may ask, what it reads, and what it can never reach."""

from __future__ import annotations

import json
from unittest.mock import patch
from uuid import UUID

import pytest
from django.db import OperationalError
from psycopg import errors as pg

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import (
    AccessDenied,
    BackendError,
    InvalidMemory,
    InvalidRecallResult,
    Unavailable,
)
from memorykit_app.domain.strict_json import InvalidJson
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import search
from memorykit_app.services import creation, erasure, reading
from memorykit_app.tools import (
    TOOLS,
    WRITE_FAILED,
    Result,
    Toolbox,
    ToolNotFound,
    WriteFailed,
    validate_output,
)
from tests.agents import HOST, READER, call, remember, run, told
from tests.recalling import policy
from tests.records import NOW, OTHER, SCOPE, active, asked, at, erasure_of, memory

pytestmark = pytest.mark.django_db
UNREADABLE = "项目记忆暂时无法读取"
SECRET = "quokka-7719"
OPERATOR = Principal.operator("embedding")


@pytest.fixture(autouse=True)
def patient():
    with policy():
        yield


def test_search_gives_records_as_data():
    record = active("Use <b>PostgreSQL</b> & nothing else.", key="database")
    memory("PostgreSQL candidate", key="hidden")
    active("PostgreSQL elsewhere", key="foreign", scope=OTHER)

    result = call("search_memory", query="PostgreSQL")

    assert told(result) == [
        {
            "id": str(record.pk),
            "kind": "fact",
            "key": "database",
            "content": "Use <b>PostgreSQL</b> & nothing else.",
            "source_refs": ["note:1"],
        }
    ]
    assert not set("<>&") & set(result.model_text)
    assert (result.user_text, result.is_error, result.result) == ("", False, None)


def test_search_narrows_by_key_and_kind_and_may_find_nothing():
    active()

    assert told(call("search_memory", query="nothing", key="office.city"))
    assert call("search_memory", query="office", kinds=["lesson"]).model_text == "[]"
    assert told(call("search_memory", query="office", key=None, kinds=None))


def test_read_gives_one_record_with_its_version():
    record = active()

    assert told(call("read_memory", memory_id=str(record.pk))) == {
        "found": True,
        "id": str(record.pk),
        "kind": "fact",
        "key": "office.city",
        "content": "The office is in Lisbon.",
        "source_refs": ["note:1"],
        "version": 1,
    }


@pytest.mark.parametrize("by", [HOST, OPERATOR], ids=["host", "operator"])
def test_what_no_agent_may_see_is_not_found_and_all_alike(by):
    hidden = [
        memory(key="candidate"),
        active(key="foreign", scope=OTHER),
        active(key="later", valid_from=at(60)),
        active(key="over", valid_from=at(-60), valid_until=at(-1)),
    ]
    erased = active("Erased words.", key="erased")
    erasure_of(erased)

    answers = [
        call("read_memory", memory_id=memory_id, by_run=run(by=by))
        for memory_id in [*(str(record.pk) for record in (*hidden, erased)), str(SCOPE.id)]
    ]

    assert {answer.model_text for answer in answers} == {'{"found":false}'}
    assert {answer.user_text for answer in answers} == {"未找到项目记忆"}
    assert not any(answer.is_error for answer in answers)
    assert call("search_memory", query="office Lisbon", by_run=run(by=by)).model_text == "[]"


@pytest.mark.parametrize("error", [Unavailable(), BackendError("x", recoverable=True)])
def test_memory_that_cannot_be_read_now_says_so(error):
    with patch.object(search, "recall", side_effect=error):
        searched = call("search_memory", query="x")
    with patch.object(reading, "read", side_effect=error):
        read = call("read_memory", memory_id=str(SCOPE.id))

    for result in (searched, read):
        assert (result.model_text, result.user_text) == (UNREADABLE, UNREADABLE)
        assert result.is_error
        assert not result.write_failed


@pytest.mark.parametrize(
    "error", [BackendError("x", recoverable=False), InvalidRecallResult(), AccessDenied("read")]
)
def test_what_is_broken_is_a_call_error(error):
    with patch.object(search, "recall", side_effect=error), pytest.raises(type(error)):
        call("search_memory", query="x")


def test_a_row_that_breaks_a_rule_is_a_call_error():
    record = active()
    record.content = " "
    broken = patch.object(reading, "read", return_value=(record, ()))
    with broken, pytest.raises(InvalidRecallResult):
        call("read_memory", memory_id=str(record.pk))


ID = str(SCOPE.id)
WORDS = {"kind": "fact", "key": "k", "content": "It rains.", "reason": "asked"}


@pytest.mark.parametrize(
    ("tool", "given", "field"),
    [
        ("search_memory", {}, "arguments.query"),
        ("search_memory", {"query": ""}, "arguments.query"),
        ("search_memory", {"query": " "}, "arguments.query"),
        ("search_memory", {"query": None}, "arguments.query"),
        ("search_memory", {"query": 7}, "arguments.query"),
        ("search_memory", {"query": "x", "key": ""}, "arguments.key"),
        ("search_memory", {"query": "x", "kinds": ["idea"]}, "arguments.kinds"),
        ("search_memory", {"query": "x", "kinds": ["fact", "fact"]}, "arguments.kinds"),
        ("search_memory", {"query": "x", "kinds": "fact"}, "arguments.kinds"),
        ("search_memory", {"query": "x", "Key": SECRET}, "arguments.Key"),
        ("search_memory", {"query": "x", "tenant_id": "rival"}, "arguments.tenant_id"),
        ("search_memory", {"query": "x", "scope": {}}, "arguments.scope"),
        ("search_memory", {"query": "x", "subject_type": "user"}, "arguments.subject_type"),
        ("search_memory", {"query": "x", SECRET: 1}, "arguments"),
        ("read_memory", {"memory_id": ID.upper()}, "arguments.memory_id"),
        ("read_memory", {"memory_id": f"{{{ID}}}"}, "arguments.memory_id"),
        ("remember_project_memory", WORDS | {"user_id": "u-2"}, "arguments.user_id"),
        ("remember_project_memory", WORDS | {"status": "active"}, "arguments.status"),
        ("remember_project_memory", WORDS | {"kind": "idea"}, "arguments.kind"),
        ("remember_project_memory", WORDS | {"reason": ""}, "arguments.reason"),
        ("remember_project_memory", WORDS | {"reason": "x" * 281}, "arguments.reason"),
        ("remember_project_memory", WORDS | {"valid_until": "soon"}, "arguments.valid_until"),
        ("remember_project_memory", WORDS | {"valid_until": 5}, "arguments.valid_until"),
        (
            "remember_project_memory",
            WORDS | {"valid_until": "2032-01-01T00:00:00"},
            "arguments.valid_until",
        ),
        (
            "remember_project_memory",
            WORDS | {"valid_until": NOW.isoformat()},
            "arguments.valid_until",
        ),
        ("correct_memory", {"memory_id": ID, "version": True}, "arguments.version"),
        ("forget_memory", {"memory_id": ID, "version": 0, "reason": "x"}, "arguments.version"),
        ("memory_feedback", {"memory_id": ID, "verdict": "great"}, "arguments.verdict"),
    ],
)
def test_arguments_that_break_a_rule_are_a_call_error_by_field(tool, given, field):
    metadata = {}
    with pytest.raises((InvalidJson, InvalidMemory)) as refusal:
        Toolbox(run(), metadata).call(tool, given, now=NOW)

    assert refusal.value.field == field
    assert SECRET not in str(refusal.value)
    with sealed(SCOPE):
        assert not Memory.objects.in_scope(SCOPE).exists()
    # Nothing was saved, so nothing may be claimed.
    writes = {tool.name for tool in TOOLS if tool.writes}
    assert (WRITE_FAILED in metadata) == (tool in writes)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '"x"', '{"query": "a", "query": "b"}', '{"query": "a"} more',
        '{"query": NaN}', '{"query": "\\ud800"}', '{"query": "a\\u0000"}', '{"query": ', b"\xff",
    ],
)  # fmt: skip
def test_json_from_a_model_is_read_strictly(text):
    with pytest.raises((InvalidJson, InvalidMemory)):
        Toolbox(run()).call("search_memory", text, now=NOW)


def test_json_from_a_model_may_come_as_text():
    active()

    assert json.loads(
        Toolbox(run()).call("search_memory", '{"query": "office"}', now=NOW).model_text
    )


def test_tools_that_write_are_there_under_intent_only():
    names = {tool.name for tool in TOOLS}
    reader = Toolbox(run(by=READER, write_intent=False, run_id="", user_id=""))

    assert {tool.name for tool in Toolbox(run()).tools} == names
    assert [tool.name for tool in reader.tools] == ["search_memory", "read_memory"]
    metadata = {}
    with pytest.raises(ToolNotFound):
        Toolbox(run(by=READER, write_intent=False), metadata).call(
            "remember_project_memory", WORDS, now=NOW
        )
    assert metadata[WRITE_FAILED] is True
    with pytest.raises(ToolNotFound):
        call("delete_everything")


def test_schemas_are_closed_small_and_without_scope():
    box = Toolbox(run())
    forbidden = {"tenant", "tenant_id", "project", "project_id", "scope", "subject_type",
                 "subject_id", "user_id", "run_id", "actor"}  # fmt: skip

    assert len(TOOLS) <= 8
    for openai, anthropic in zip(box.openai(), box.anthropic(), strict=True):
        function = openai["function"]
        plain, strict = anthropic["input_schema"], function["parameters"]
        assert openai["type"] == "function"
        assert function["strict"] is True
        assert function["name"] == anthropic["name"]
        assert plain["additionalProperties"] is strict["additionalProperties"] is False
        assert strict["required"] == list(strict["properties"])
        assert not forbidden & set(plain["properties"])
        assert len(json.dumps(openai)) < 1_500
        for name in set(strict["properties"]) - set(plain["required"]):
            assert "null" in strict["properties"][name]["type"]
    assert set(box.anthropic()[0]["input_schema"]["required"]) == {"query"}


def test_the_flag_of_a_failed_write_outlives_every_success():
    metadata = {"mine": 1}
    assert remember(metadata, content="The city is L\u202eisbon.").result is Result.REFUSED
    assert remember(metadata).result is Result.ACTIVE

    assert metadata == {"mine": 1, WRITE_FAILED: True}
    with pytest.raises(WriteFailed, match="项目记忆未保存"):
        validate_output(metadata)


def test_a_store_that_is_away_fails_the_write():
    error = OperationalError("away")
    error.__cause__ = pg.AdminShutdown("away")
    metadata = {}
    with patch.object(creation, "_insert", side_effect=error):
        result = remember(metadata)

    assert (result.result, result.code) == (Result.FAILED, "memory_unavailable")
    assert metadata[WRITE_FAILED] is True


def test_a_write_that_breaks_inside_sets_the_flag_too():
    metadata = {}
    broken = patch.object(creation, "create", side_effect=ZeroDivisionError)
    with broken, pytest.raises(ZeroDivisionError):
        remember(metadata)

    assert metadata[WRITE_FAILED] is True


@pytest.mark.parametrize("value", [True, "false", 0, 1, None, "", []])
def test_the_output_is_refused_unless_the_flag_is_false_or_absent(value):
    with pytest.raises(WriteFailed):
        validate_output({WRITE_FAILED: value})
    validate_output({WRITE_FAILED: False})
    validate_output({})
    validate_output(None)
    assert remember(None, content=" " * 9_000 + "x").result is Result.REFUSED


def test_review_status_tells_of_the_callers_own_writes_only():
    own = told(remember())["id"]
    theirs, candidate = active(key="x"), memory(key="y")
    other_host = Principal(actor="host:ffffffffffff", capabilities=HOST.capabilities)

    assert told(call("review_status", memory_id=own)) == {
        "found": True,
        "id": own,
        "state": "active",
    }
    for memory_id, by_run in (
        (str(theirs.pk), run()),
        (str(candidate.pk), run()),
        (own, run(user_id="u-2")),
        (own, run(by=other_host)),
        (own, run(scope=OTHER)),
    ):
        assert told(call("review_status", memory_id=memory_id, by_run=by_run)) == {"found": False}


def test_review_status_of_an_erased_write_gives_the_state_and_nothing_more():
    result = remember()
    own = UUID(told(result)["id"])
    erasure.erase(own, asked(1, reason="request"))

    assert told(call("review_status", memory_id=str(own)))["state"] == "erased"


def test_a_result_shows_no_content_in_its_repr():
    active(SECRET)

    assert SECRET not in repr(call("search_memory", query=SECRET))


def test_a_reader_gives_no_feedback():
    assert Capability.PROPOSE not in READER.capabilities
    with pytest.raises(ToolNotFound):
        call(
            "memory_feedback",
            memory_id=ID,
            verdict="useful",
            by_run=run(by=READER, write_intent=False),
        )
