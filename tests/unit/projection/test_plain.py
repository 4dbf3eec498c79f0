"""Plain values: what a host hands in is copied, and refused when it is more than JSON."""

from __future__ import annotations

import math
from collections import OrderedDict

import pytest

from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.projection import plain

LOOP: list = []
LOOP.append(LOOP)
DEEP: list = []
for _ in range(100):
    DEEP = [DEEP]


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        object(),
        print,
        math.nan,
        math.inf,
        1j,
        b"bytes",
        {1: "number as name"},
        {1, 2},
        LOOP,
        DEEP,
        Text("a text that is more"),
        OrderedDict(a=1),
        iter([1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_more_than_json_is_refused_without_showing_it(value):
    with pytest.raises(InvalidMemory) as refusal:
        plain.metadata({"a": value})
    with pytest.raises(InvalidMemory):
        plain.messages([{"role": "user", "content": "x", "more": value}])

    assert refusal.value.field == "metadata"
    assert "bytes" not in str(refusal.value)


@pytest.mark.parametrize(
    "messages",
    [None, "text", {}, ["text"], [{}], [{"role": 1}], [{"role": "user", "content": 7}], iter([])],
)
def test_what_is_no_list_of_messages_is_refused(messages):
    with pytest.raises(InvalidMemory, match="messages"):
        plain.messages(messages)


def test_a_copy_shares_nothing_and_the_same_value_may_come_twice():
    part = {"type": "text", "text": "hello"}
    given = [{"role": "user", "content": [part, part]}]

    copied = plain.messages(given)
    copied[0]["content"][0]["text"] = "changed"

    assert given[0]["content"][0]["text"] == "hello"
    assert copied[0]["content"][1]["text"] == "hello"
    assert plain.metadata({"a": (1, None, 2.5, True)}) == {"a": [1, None, 2.5, True]}
