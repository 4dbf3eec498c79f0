"""Context, tools and feedback over HTTP, as an agent host uses them for its model."""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app.api import rate
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import Unavailable
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import search
from memorykit_app.services import reading
from tests.hosting import Host, host, mint
from tests.records import OTHER, SCOPE, active, fresh, history, memory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]
RUN = {"run_id": "run-1", "user_id": "u-1"}
WORDS = {
    "kind": "fact",
    "key": "office.city",
    "content": "The office is in Lisbon.",
    "reason": "The user asked for it.",
}
ASK = {"messages": [{"role": "user", "content": "Where is the office?"}]}
READ, PROPOSE, WRITE = Capability.READ, Capability.PROPOSE, Capability.WRITE_EXPLICIT
SECRET_WORDS = "quokka-7719"


def tool(agent: Host, name: str, run=RUN, **arguments):
    return agent.post(f"tools/{name}", {"arguments": arguments} | run)


def stored(scope=SCOPE) -> int:
    with sealed(scope):
        return Memory.objects.in_scope(scope).count()


def test_messages_come_back_with_the_block_and_the_words_for_the_system_prompt():
    record = active()
    candidate = memory("The office is a secret.", key="secret")

    answer = host(READ).post("context", ASK | {"metadata": {"trace": "t"}, "run_id": "run-1"})

    done = answer.json()
    assert answer.status_code == 200
    assert [entry["role"] for entry in done["messages"]] == ["user", "user"]
    assert str(record.pk) in done["messages"][0]["content"]
    assert done["messages"][1] == ASK["messages"][0]
    assert (done["ids"], done["degraded"]) == ([str(record.pk)], False)
    assert done["metadata"]["trace"] == "t"
    assert "memory_records" in done["untrusted_context"]
    assert str(candidate.pk) not in answer.content.decode()
    assert "secret" not in answer.content.decode()


def test_a_context_without_memory_says_so():
    agent = host(READ)
    with patch.object(search, "recall", side_effect=Unavailable()):
        done = agent.post("context", ASK).json()

    assert (done["messages"], done["degraded"]) == (ASK["messages"], True)
    assert done["metadata"] == {"memory.degraded": True}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"messages": "hello"}, "messages"),
        ({"messages": [SECRET_WORDS]}, "messages.0"),
        ({"messages": [{"content": SECRET_WORDS}]}, "messages"),
        ({"messages": [{"role": 1}]}, "messages"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages"),
        ({"metadata": {"memory.query_keys": SECRET_WORDS}}, "memory.query_keys"),
        ({"metadata": []}, "metadata"),
        ({"tenant_id": "rival"}, "tenant_id"),
        ({"subject_type": "user"}, "subject_type"),
        ({"items": 0}, "items"),
        ({"run_id": "not an id"}, "run_id"),
    ],
)
def test_a_context_of_another_shape_is_refused_by_field(change, field):
    answer = host(READ).post("context", ASK | change)

    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert SECRET_WORDS not in answer.content.decode()


def test_a_key_is_told_of_the_tools_that_it_may_offer():
    def names(*capabilities):
        found = host(*capabilities).get("tools").json()
        plain = [entry["name"] for entry in found["anthropic"]]
        assert plain == [entry["function"]["name"] for entry in found["openai"]]
        return plain

    assert names(READ) == ["search_memory", "read_memory"]
    assert names(READ, PROPOSE) == ["search_memory", "read_memory", "memory_feedback"]
    assert names(READ, PROPOSE, WRITE) == [
        "search_memory",
        "read_memory",
        "remember_project_memory",
        "correct_memory",
        "forget_memory",
        "memory_feedback",
        "review_status",
    ]


def test_a_model_remembers_finds_corrects_and_forgets_its_own():
    agent = host(READ, PROPOSE, WRITE)

    saved = tool(agent, "remember_project_memory", **WORDS).json()
    made = json.loads(saved["model_text"])
    found = tool(agent, "search_memory", run={}, query="office").json()
    read = tool(agent, "read_memory", run={}, memory_id=made["id"]).json()
    changed = tool(
        agent, "correct_memory", memory_id=made["id"], version=1, content="Porto.", reason="moved"
    ).json()
    status = tool(agent, "review_status", memory_id=made["id"]).json()
    gone = tool(agent, "forget_memory", memory_id=made["id"], version=2, reason="asked").json()

    assert (saved["result"], saved["user_text"]) == ("active", "项目记忆已保存")
    assert (saved["is_error"], saved["write_failed"], saved["code"]) == (False, False, "")
    assert [row["id"] for row in json.loads(found["model_text"])] == [made["id"]]
    assert found["result"] is None
    assert json.loads(read["model_text"])["version"] == 1
    assert changed["result"] == "active"
    assert json.loads(status["model_text"])["state"] == "active"
    assert gone["result"] == "inactive"


def test_a_call_may_be_repeated():
    agent = host(WRITE)

    answers = [tool(agent, "remember_project_memory", **WORDS) for _ in range(2)]

    assert answers[0].json() == answers[1].json()
    assert stored() == 1


def test_a_record_of_a_person_stays_and_the_model_is_told_of_its_own_proposal_only():
    record, agent = active(), host(READ, WRITE)

    answer = tool(
        agent, "remember_project_memory", **(WORDS | {"content": "The office is in Porto."})
    ).json()
    proposed = json.loads(answer["model_text"])

    assert (answer["result"], answer["user_text"]) == ("candidate", "项目记忆待审核")
    assert fresh(record).version == 1
    status = tool(agent, "review_status", memory_id=proposed["id"]).json()
    assert json.loads(status["model_text"]) == {
        "found": True,
        "id": proposed["id"],
        "state": "candidate",
    }
    assert "Porto" not in agent.post("recall", {"query": "office Porto"}).content.decode()
    read = tool(agent, "read_memory", run={}, memory_id=proposed["id"]).json()
    assert read["model_text"] == '{"found":false}'


def test_a_failed_write_is_an_answer_with_its_flag():
    answer = tool(
        host(WRITE),
        "remember_project_memory",
        **(WORDS | {"content": "L\u202eisbon " + SECRET_WORDS}),
    )

    told = answer.json()
    assert answer.status_code == 200
    assert (told["result"], told["is_error"], told["write_failed"]) == ("refused", True, True)
    assert told["model_text"] == told["user_text"] == "项目记忆未保存"
    assert told["code"] == "invalid_memory_content"
    assert SECRET_WORDS not in answer.content.decode()
    assert stored() == 0


def test_memory_that_cannot_be_read_now_is_an_answer():
    agent = host(READ)
    with patch.object(reading, "read", side_effect=Unavailable()):
        told = tool(agent, "read_memory", run={}, memory_id=str(SCOPE.id)).json()

    assert (told["model_text"], told["is_error"]) == ("项目记忆暂时无法读取", True)
    assert told["write_failed"] is False


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"arguments": WORDS}, "invalid_json", "run_id"),
        ({"arguments": WORDS} | RUN | {"user_id": "a b"}, "invalid_request", "user_id"),
        ({"arguments": WORDS} | RUN | {"user_id": 7}, "invalid_json", "user_id"),
        ({"arguments": WORDS} | RUN | {"write_intent": True}, "invalid_json", "write_intent"),
        ({"arguments": WORDS} | RUN | {"project_id": "blue"}, "invalid_json", "project_id"),
        (
            {"arguments": WORDS | {"subject_type": "user"}} | RUN,
            "invalid_json",
            "arguments.subject_type",
        ),
        ({"arguments": WORDS | {"Key": SECRET_WORDS}} | RUN, "invalid_json", "arguments.Key"),
        ({"arguments": WORDS | {"kind": "idea"}} | RUN, "invalid_request", "arguments.kind"),
        (
            {"arguments": WORDS | {"valid_until": "2001-01-01T00:00:00Z"}} | RUN,
            "invalid_request",
            "arguments.valid_until",
        ),
        ({"arguments": []} | RUN, "invalid_json", "arguments"),
        (RUN, "invalid_json", "arguments"),
    ],
)
def test_a_call_of_another_shape_is_a_problem_and_stores_nothing(body, code, field):
    answer = host().post("tools/remember_project_memory", body)

    assert answer.status_code == 400
    assert (answer.json()["code"], answer.json()["field"]) == (code, field)
    assert SECRET_WORDS not in answer.content.decode()
    assert stored() == 0


def test_an_unknown_tool_is_no_route():
    assert host().post("tools/erase_memory", {"arguments": {}}).status_code == 404


def test_a_foreign_record_and_none_are_alike_to_every_tool():
    foreign = active(scope=OTHER)
    agent = host()

    for name, more in (
        ("read_memory", {}),
        ("memory_feedback", {"verdict": "useful"}),
        ("review_status", {}),
        ("correct_memory", {"version": 1, "content": "x", "reason": "x"}),
        ("forget_memory", {"version": 1, "reason": "x"}),
    ):
        theirs = tool(agent, name, memory_id=str(foreign.pk), **more).json()
        none = tool(agent, name, memory_id=str(SCOPE.id), **more).json()
        assert theirs == none
    assert fresh(foreign, OTHER).version == 1


def test_a_write_names_the_model_its_user_and_its_run():
    key, secret = mint(WRITE)
    answer = tool(Host(secret), "remember_project_memory", **WORDS).json()
    with sealed(SCOPE):
        record = Memory.objects.in_scope(SCOPE).get(pk=json.loads(answer["model_text"])["id"])

    assert (record.created_by, record.source_agent_id) == ("model:u-1", f"host:{key.prefix}")
    assert history(record)[0].snapshot["sources"][0]["ref"] == "agent-run:run-1"


def test_without_redis_tools_that_read_go_on_and_those_that_write_wait():
    agent = host()
    active()
    mode = settings.MEMORYKIT | {"API": {"WITHOUT_REDIS": "reads"}}
    with override_settings(MEMORYKIT=mode), patch.object(rate, "_wait", return_value=None):
        assert tool(agent, "search_memory", run={}, query="office").status_code == 200
        assert agent.post("context", ASK).status_code == 200
        assert tool(agent, "remember_project_memory", **WORDS).status_code == 503


def test_feedback_is_given_with_a_code_and_counted_for_reviewers():
    record = active()
    path = f"memories/{record.pk}/feedback"
    agent, desk = host(READ, PROPOSE), host()

    given = agent.post(path, {"verdict": "useful"})
    agent.post(path, {"verdict": "wrong"})
    desk.post(path, {"verdict": "useful"})

    assert given.json() == {"memory_id": str(record.pk), "verdict": "useful"}
    assert desk.get(path).json() == {
        "memory_id": str(record.pk),
        "useful": 1,
        "not_useful": 0,
        "wrong": 1,
    }
    assert agent.get(path).status_code == 403
    words = agent.post(path, {"verdict": SECRET_WORDS})
    assert (words.status_code, words.json()["field"]) == (400, "verdict")
    assert SECRET_WORDS not in words.content.decode()


def test_pages_end_with_an_empty_one():
    for number in range(2):
        active(key=f"k{number}")
    agent = host()

    first = agent.get("memories?limit=2").json()
    last = agent.get(f"memories?limit=2&cursor={first['next_cursor']}").json()

    assert len(first["memories"]) == 2
    assert last == {"memories": [], "next_cursor": None}
