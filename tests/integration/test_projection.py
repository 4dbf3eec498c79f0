"""Projection: memory goes into a prompt as data, once, and the turn goes on without it."""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app.backends.base import Observer
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    AccessDenied,
    BackendError,
    InvalidMemory,
    InvalidRecallResult,
    InvalidScope,
    RecallDependency,
    ScopeRequired,
    Unavailable,
)
from memorykit_app.domain.scope import Scope
from memorykit_app.models import RecallReceipt, sealed
from memorykit_app.projection import block, project
from memorykit_app.recall import search
from memorykit_app.services import memories
from tests.recalling import READER, policy
from tests.records import NOW, OTHER, SCOPE, active, asked, at, memory

pytestmark = pytest.mark.django_db
TALK = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Where is the office?"},
]


class Ear(Observer):
    """Keeps what it hears, and raises when it is told to."""

    for_tests = True
    heard: list = []
    broken = False

    def notify(self, event, fields):
        type(self).heard.append((event, dict(fields)))
        if type(self).broken:
            raise RuntimeError


@pytest.fixture(autouse=True)
def heard():
    Ear.heard, Ear.broken = [], False
    ear = {"OBSERVER": {"BACKEND": "tests.integration.test_projection.Ear"}}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | ear), policy():
        yield Ear.heard


def projected(messages=TALK, metadata=None, *, scope=SCOPE, by=READER, **wishes):
    return project(messages, metadata, scope=scope, by=by, now=NOW, **wishes)


def records_in(done) -> list[dict]:
    [found] = [entry["content"] for entry in done.messages if block.is_block(entry)]
    return json.loads(found.splitlines()[3])


def test_the_block_stands_before_the_last_user_message_and_nothing_else_changes():
    record = active()
    given = json.loads(json.dumps(TALK))

    done = projected(given, {"trace": "t-1"})

    assert given == TALK
    assert [entry for entry in done.messages if not block.is_block(entry)] == TALK
    assert block.is_block(done.messages[3])
    assert done.messages[3]["role"] == "user"
    assert [row["id"] for row in records_in(done)] == [str(record.pk)]
    assert done.metadata == {
        "trace": "t-1",
        "memory.policy_version": "test-1",
        "memory.ids": [str(record.pk)],
        "memory.item_count": 1,
        "memory.degraded_channels": [],
    }
    assert (done.ids, done.degraded) == ((record.pk,), False)


def test_only_active_effective_records_of_this_scope_come():
    memory("The office is a secret.", key="candidate")
    active("The office is elsewhere.", key="foreign", scope=OTHER)
    active("The office will move.", key="later", valid_from=at(60))

    done = projected()

    assert done.messages == TALK
    assert done.metadata["memory.item_count"] == 0


def test_pinned_records_come_always_and_first():
    pinned = active("Never deploy on Friday.", key="deploy.rule")
    memories.pin(pinned.pk, asked(1))
    active()

    asked_for = projected()
    silent = projected([{"role": "user", "content": [{"type": "image", "source": {}}]}])

    assert [row["key"] for row in records_in(asked_for)] == ["deploy.rule", "office.city"]
    assert [row["key"] for row in records_in(silent)] == ["deploy.rule"]


def test_the_budget_holds_and_can_be_narrowed():
    for number in range(5):
        active(f"The office number {number} is in city {number}.", key=f"office.{number}")

    assert len(records_in(projected(items=2))) == 2
    few = projected(tokens=120)
    assert 1 <= len(records_in(few)) < 5


def test_projecting_again_takes_the_earlier_view_out():
    record = active()
    once = projected()
    twice = projected(once.messages, once.metadata)
    assert twice == once

    memories.forget(record.pk, asked(1))
    assert projected(once.messages).messages == TALK


def test_the_earlier_view_is_not_asked_as_a_question():
    active()
    once = projected([*TALK[:2], {"role": "user", "content": "office"}])
    later = [*once.messages[:-1], {"role": "assistant", "content": "ok"}]

    done = projected(later)

    assert not any(block.is_block(entry) for entry in done.messages)


def test_records_without_a_user_message_are_an_error_and_none_are_not():
    assistant = [{"role": "assistant", "content": "office?"}]
    assert projected(assistant).messages == assistant

    active()
    with pytest.raises(InvalidMemory) as refusal:
        projected(assistant, {"memory.query_keys": ["office.city"]})
    assert refusal.value.field == "messages"


def test_the_hosts_wishes_are_asked_and_its_other_marks_are_dropped():
    active(), active("Lisbon has a lab.", key="lab")
    metadata = {
        "memory.query_keys": ["lab"],
        "memory.query_kinds": ["fact"],
        "memory.query_tags": ["unrelated"],
        "memory.project_id": "blue",
        "memory.degraded": True,
        "memorykit.agentadapter.write_failed": True,
    }

    done = projected([{"role": "user", "content": "Hm."}], metadata)

    assert records_in(done)[0]["key"] == "lab"
    assert "memory.project_id" not in done.metadata
    assert "memory.query_keys" not in done.metadata
    assert "memory.degraded" not in done.metadata
    assert done.metadata["memorykit.agentadapter.write_failed"] is True


@pytest.mark.parametrize("error", [Unavailable(), BackendError("embed", recoverable=True)])
def test_without_memory_the_turn_goes_on_and_says_so(error, heard):
    with patch.object(search, "recall", side_effect=error):
        done = projected(metadata={"trace": "t-1"})

    assert done.messages == TALK
    assert done.metadata == {"trace": "t-1", "memory.degraded": True}
    assert done.degraded
    assert heard == [("memory.degraded", {})]


def test_a_channel_that_failed_is_marked(heard):
    active()
    with patch.object(search.question, "vector", return_value=None):
        done = projected()

    assert done.metadata["memory.degraded_channels"] == ["vector"]
    assert done.metadata["memory.degraded"] is True
    assert records_in(done)
    assert [event for event, _ in heard] == ["memory.degraded"]


@pytest.mark.parametrize(
    "error",
    [
        BackendError("embed", recoverable=False),
        RecallDependency(),
        InvalidRecallResult(),
        AccessDenied("read"),
    ],
)
def test_what_is_broken_or_forbidden_is_not_hidden(error):
    with patch.object(search, "recall", side_effect=error), pytest.raises(type(error)):
        projected()


def test_who_may_not_read_gets_nothing():
    with pytest.raises(AccessDenied):
        projected(by=Principal.person(7))


def test_the_observer_hears_ids_and_counts_and_may_break(heard):
    record = active("Quokka words.", key="office.city")
    Ear.broken = True

    done = projected()

    assert done.ids == (record.pk,)
    told = [fields for event, fields in heard if event == "memory.recall"]
    assert told == [
        {
            "policy_version": "test-1",
            "item_count": 1,
            "ids": str(record.pk),
            "degraded_channels": "",
        }
    ]


def test_a_resolver_finds_the_scope_from_its_own_copy():
    active()

    def resolver(metadata):
        project_id = metadata.pop("project")
        return Scope.project("acme", project_id)

    done = projected(metadata={"project": "red"}, scope=resolver)

    assert records_in(done)
    assert done.metadata["project"] == "red"
    with pytest.raises(ScopeRequired):
        projected(scope=lambda metadata: None)
    with pytest.raises(InvalidScope):
        projected(scope=lambda metadata: Scope.project("", ""))


def test_unsafe_input_is_refused_before_anything_is_asked():
    def never(metadata):
        raise AssertionError

    for messages, metadata in ((TALK, {"a": object()}), ([{"role": "user", "x": print}], {})):
        with pytest.raises(InvalidMemory):
            projected(messages, metadata, scope=never)


def test_later_steps_get_copies_and_cannot_forge_a_mark():
    active()

    def adds(messages, metadata):
        messages.append({"role": "user", "content": "And more."})
        return messages, {"added": 1}

    def sees(messages, metadata):
        assert (metadata["added"], metadata["memory.item_count"]) == (1, 1)
        metadata["memory.ids"].clear()
        return messages, {"added": 2}

    done = projected(then=[adds, sees])
    assert done.messages[-1]["content"] == "And more."
    assert (done.metadata["added"], done.metadata["memory.item_count"]) == (2, 1)
    assert len(done.metadata["memory.ids"]) == 1

    for forged in ({"memory.item_count": 7}, {"memory.new": 1}, {"memory.degraded": True}):
        with pytest.raises(InvalidMemory, match="metadata"):
            projected(then=[lambda messages, metadata, forged=forged: (messages, forged)])
    with pytest.raises(InvalidMemory):
        projected(then=[lambda messages, metadata: (messages, {"a": object()})])


def test_an_answer_leaves_a_receipt():
    active()
    projected(run_id="run-7")

    with sealed(SCOPE):
        [receipt] = RecallReceipt.objects.in_scope(SCOPE)
    assert (receipt.entry, receipt.run_id) == ("projection", "run-7")
    with pytest.raises(InvalidMemory):
        projected(run_id="not an id")
