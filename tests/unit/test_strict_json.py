from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.errors import MemorykitError
from memorykit_app.domain.strict_json import MAX_DEPTH, InvalidJson, check_depth, loads

ROOM = 10_000
SECRET = "sesame-9917"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_valid_json_comes_back_unchanged(value):
    text = json.dumps(value, ensure_ascii=False)

    assert loads(text.encode(), max_bytes=10**7) == value
    assert loads(text, max_bytes=10**7) == value


@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_a_value_or_the_typed_error(data):
    try:
        value = loads(data, max_bytes=ROOM)
    except InvalidJson:
        return
    assert value == json.loads(data)


@given(st.text(st.sampled_from('[]{}":,\\ud8001eN aft\n\x00é'), max_size=60))
def test_json_like_noise_gives_a_value_or_the_typed_error(text):
    try:
        value = loads(text, max_bytes=ROOM)
    except InvalidJson:
        return
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("text", "where", "rule"),
    [
        ('{"a": 1, "a": 2}', "the JSON text", "twice"),
        ('[{"b": {"a": 1, "a": 2}}]', "[0].b", "twice"),
        ('{"score": NaN}', "score", "NaN"),
        ("[Infinity]", "[0]", "Infinity"),
        ("[-Infinity]", "[0]", "Infinity"),
        ('{"n": 9223372036854775808}', "n", "64 bits"),
        ('{"n": -9223372036854775809}', "n", "64 bits"),
        ('{"n": 1' + "0" * 6_000 + "}", "n", "64 bits"),
        ('{"n": 1e999}', "n", "too large"),
        ('{"content": "half \\ud83d pair"}', "content", "surrogate"),
        ('{"content": "gate\\u0000post"}', "content", "NUL"),
        ('{"a\\u0000": 1}', "the JSON text", "name of a field"),
        ('{"\\ud83d": 1}', "the JSON text", "surrogate"),
        ("", "the JSON text", "empty"),
        (" \n ", "the JSON text", "empty"),
        ('{"a": 1}\n{"b": 2}', "line 2 column 1", "not valid JSON"),
        ("[1,\n 2,\n x]", "line 3 column 2", "not valid JSON"),
        ('{"a": "open', "line 1", "not valid JSON"),
        ('"tab\there"', "line 1", "not valid JSON"),
        ("'single'", "line 1 column 1", "not valid JSON"),
    ],
)
def test_each_flaw_is_named_with_its_place(text, where, rule):
    with pytest.raises(InvalidJson) as caught:
        loads(text, max_bytes=ROOM)

    assert str(caught.value).startswith(where)
    assert rule in caught.value.rule


def test_the_bounds_of_64_bits_are_accepted():
    assert loads("[9223372036854775807, -9223372036854775808]", max_bytes=ROOM) == [
        2**63 - 1,
        -(2**63),
    ]


def test_a_hundred_thousand_nested_arrays_are_refused_without_recursion():
    with pytest.raises(InvalidJson, match="deeper than 32"):
        loads("[" * 100_000 + "]" * 100_000, max_bytes=10**6)


def test_depth_counts_up_to_the_bound_only():
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH, max_bytes=ROOM)

    with pytest.raises(InvalidJson, match=r"line 1 column 33.*deeper"):
        loads("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), max_bytes=ROOM)


def test_brackets_inside_strings_do_not_count():
    text = json.dumps({"a": '[[[[{{{{"\\' * 50, "b": '\\"['})

    assert loads(text, max_bytes=ROOM, max_depth=1)
    assert check_depth(text) == 0


@pytest.mark.parametrize("text", ['"' + '\\"' * 200_000, '"' * 199_999, "\\" * 200_000])
def test_the_depth_check_is_linear_on_crafted_text(text):
    with pytest.raises(InvalidJson, match="not valid JSON"):
        loads(text, max_bytes=10**6)


def test_size_counts_bytes_not_characters():
    text = json.dumps("数" * 10, ensure_ascii=False)

    assert loads(text, max_bytes=32) == "数" * 10
    with pytest.raises(InvalidJson, match="larger than 31 bytes"):
        loads(text, max_bytes=31)
    with pytest.raises(InvalidJson, match="larger than 31 bytes"):
        loads(text.encode(), max_bytes=31)


def test_other_encodings_are_refused_with_the_line():
    with pytest.raises(InvalidJson, match="line 2: is not UTF-8"):
        loads(b'{"a":\n "\xff"}', max_bytes=ROOM)
    with pytest.raises(InvalidJson):
        loads('{"a": 1}'.encode("utf-16"), max_bytes=ROOM)


def test_a_lone_surrogate_in_a_python_string_is_refused():
    with pytest.raises(InvalidJson, match="surrogate"):
        loads('"\ud83d"', max_bytes=ROOM)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"{SECRET}": NaN}}',
        f'{{"a": "{SECRET}\\u0000"}}',
        f'{{"a": {SECRET}}}',
        f'{{"{SECRET}": 1, "{SECRET}": 2}}',
        f'{{"{SECRET}": {{"a": NaN}}}}',
    ],
)
def test_the_error_never_repeats_what_was_sent(text):
    with pytest.raises(InvalidJson) as caught:
        loads(text, max_bytes=ROOM)

    assert SECRET not in str(caught.value)
    assert SECRET not in repr(vars(caught.value))
    assert caught.value.__cause__ is None


def test_the_error_belongs_to_the_family():
    assert issubclass(InvalidJson, MemorykitError)
    assert InvalidJson.code == "invalid_json"
