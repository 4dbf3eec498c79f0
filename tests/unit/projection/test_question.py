"""The question: the last user message and the host's wishes, and nothing of the rest."""

from __future__ import annotations

import pytest

from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.projection import question

USER = {"role": "user", "content": "Which database?"}


def built(*messages, most_chars=1_000, **metadata):
    named = {f"memory.{name}": value for name, value in metadata.items()}
    return question.build(list(messages), named, most_chars=most_chars)


def test_the_last_user_message_is_asked_with_the_tags_in_order():
    asked = built(
        {"role": "user", "content": "Earlier words"},
        {"role": "user", "content": [{"type": "text", "text": word} for word in ("Which", "one?")]},
        {"role": "assistant", "content": "Let me see."},
        query_tags=["zebra", "apple"],
        query_keys=["office.city"],
        query_kinds=["fact"],
    )

    assert asked.text == "Which\none?\napple\nzebra"
    assert (asked.keys, asked.kinds) == (("office.city",), ("fact",))


def test_of_a_long_message_the_end_is_asked():
    assert built({"role": "user", "content": "a" * 50 + "数据库"}, most_chars=5).text == "aa数据库"


def test_signs_that_no_question_may_hold_do_not_stop_the_turn():
    assert built({"role": "user", "content": "a\0b\ud800c"}).text == "a b c"


@pytest.mark.parametrize("content", [None, "", "  ", [{"type": "image", "source": {}}]])
def test_when_nothing_is_said_only_pinned_records_are_asked_for(content):
    asked = built({"role": "user", "content": content})

    assert (asked.text.strip(), asked.keys) == ("", (question.NOTHING,))


def test_a_message_that_only_carries_results_is_not_the_users():
    results = {"role": "user", "content": [{"type": "tool_result", "content": "secret plan"}]}

    assert (
        built(USER, {"role": "assistant", "content": "calling"}, results).text == "Which database?"
    )
    assert question.last_user([USER, results]) == 0
    assert question.last_user([results]) is None


@pytest.mark.parametrize("name", ["query_tags", "query_keys", "query_kinds"])
@pytest.mark.parametrize("value", ["text", [1], {"a": "b"}, None])
def test_metadata_of_the_wrong_type_is_named(name, value):
    with pytest.raises(InvalidMemory) as refusal:
        built(USER, **{name: value})

    assert refusal.value.field == f"memory.{name}"


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidMemory, match="kinds"):
        built(USER, query_kinds=["idea"])
