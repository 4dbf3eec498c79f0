from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.errors import InvalidTranscript
from memorykit_app.domain.limits import Limits
from memorykit_app.domain.messages import Message
from memorykit_app.domain.transcript_format import ROLES, canonical, from_canonical, parse

LIMITS = Limits()
SECRET = "sesame-9917"
NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
SAID = {"role": "user", "content": "Hello there"}

storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
moments = st.datetimes(timezones=st.just(UTC)) | st.none()
messages = st.builds(
    lambda role, text, name, created_at: (role, text, name, created_at),
    st.sampled_from(ROLES),
    storable.map(lambda text: unicodedata.normalize("NFC", text)),
    st.from_regex(r"[a-z]{0,8}", fullmatch=True),
    moments,
)


def as_lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def as_array(*rows: object) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def refused(data: bytes, limits: Limits = LIMITS) -> InvalidTranscript:
    with pytest.raises(InvalidTranscript) as caught:
        parse(data, limits=limits)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        as_lines(SAID, {"role": "assistant", "content": "Hi"}),
        as_array(SAID, {"role": "assistant", "content": "Hi"}),
        json.dumps(
            {"id": "x", "messages": [SAID, {"role": "assistant", "content": "Hi"}]}
        ).encode(),
        json.dumps({"messages": [SAID, {"role": "assistant", "content": "Hi"}]}, indent=2).encode(),
        b"\xef\xbb\xbf" + as_lines(SAID, {"role": "assistant", "content": "Hi"}),
        as_lines(SAID, {"role": "assistant", "content": "Hi"}).replace(b"\n", b"\r\n\r\n"),
        b"\n\n" + as_array(SAID, {"role": "assistant", "content": "Hi"}),
    ],
)
def test_every_accepted_form_gives_the_same_messages(data):
    found = parse(data, limits=LIMITS)

    assert found == [
        Message(index=0, role="user", text="Hello there"),
        Message(index=1, role="assistant", text="Hi"),
    ]


def test_one_line_is_a_transcript_of_one_message():
    assert [m.text for m in parse(as_lines(SAID), limits=LIMITS)] == ["Hello there"]


def test_text_parts_are_joined_and_others_noted():
    content = [
        {"type": "text", "text": "See this"},
        {"type": "image_url", "image_url": {"url": "https://img.example/a.png"}},
        {"type": SECRET, "data": "x"},
        "plain",
        {"type": "input_text", "text": "and that"},
    ]

    (message,) = parse(as_array({"role": "user", "content": content}), limits=LIMITS)

    assert message.text == "See this\n[image_url omitted]\n[part omitted]\nplain\nand that"


def test_a_tool_result_takes_the_name_of_the_function_it_answers():
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "find_order", "arguments": "{}"},
    }
    rows = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
        {"role": "tool", "tool_call_id": "lost", "content": "43"},
    ]

    found = parse(as_array(*rows), limits=LIMITS)

    assert [(m.text, m.name, m.outside) for m in found] == [
        ("", "", False),
        ("42", "find_order", True),
        ("43", "", True),
    ]


def test_the_older_function_call_form_needs_no_content():
    rows = [
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "ok"},
    ]

    assert [m.name for m in parse(as_array(*rows), limits=LIMITS)] == ["", "f"]


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        ("2026-03-04T12:00:00Z", NOON),
        ("2026-03-04T14:00:00+02:00", NOON),
        (1772625600, NOON),
        (1772625600.5, NOON + timedelta(seconds=0.5)),
        (None, None),
    ],
)
def test_times_are_read_as_iso_or_epoch_seconds(given_value, expected):
    (message,) = parse(as_array({**SAID, "created_at": given_value}), limits=LIMITS)

    assert message.created_at == expected


@pytest.mark.parametrize(
    "value",
    ["yesterday", "2026-03-04T12:00:00", 1772625600000, -1, True, [], "0001-01-01T00:00+14:00"],
)
def test_a_time_that_is_unclear_is_refused(value):
    error = refused(as_array(SAID, {**SAID, "created_at": value}))

    assert error.field == "messages[1].created_at"
    assert "offset" in error.rule


@pytest.mark.parametrize(
    ("data", "field", "rule"),
    [
        (b"", "transcript", "empty"),
        (b" \n\n", "transcript", "empty"),
        (b"[]", "messages", "empty"),
        (b'{"messages": []}', "messages", "empty"),
        (b'"text"', "transcript", "JSON Lines"),
        (b"42", "transcript", "JSON Lines"),
        (b"hello", "line 1 column 1", "not valid JSON"),
        (b"\xff\xfeh\x00", "line 1", "UTF-8"),
        (b'{"foo": 1}', "line 1, role", "one of"),
        (b'{"messages": {"a": 1}}', "transcript", "JSON Lines"),
        (as_lines(SAID, {"role": "narrator", "content": "x"}), "line 2, role", "one of"),
        (as_array(SAID, {"role": "narrator", "content": "x"}), "messages[1].role", "one of"),
        (as_array({"role": ["user"], "content": "x"}), "messages[0].role", "one of"),
        (as_lines(SAID, SAID) + b"\n{bad", "line 3, column 2", "not valid JSON"),
        (as_lines(SAID) + b'\n\n{"role": "user", "content": "\xff"}', "line 3", "UTF-8"),
        (as_lines(SAID, [1]), "line 2", "object"),
        (as_array(SAID, "text"), "messages[1]", "object"),
        (b'[{"role": "user", "role": "user", "content": "x"}]', "messages[0]", "twice"),
        (b'{"role": "user", "content": "a", "content": "b"}\n', "line 1", "twice"),
        (
            as_lines(SAID) + b'\n{"role": "user", "content": "a\\u0000"}',
            "line 2, content",
            "NUL",
        ),
        (b'[{"role": "user", "content": "\\ud83d"}]', "messages[0].content", "surrogate"),
        (b'[{"role": "user", "content": "x", "n": NaN}]', "messages[0].n", "NaN"),
        (b'{"role": "user", "content": "x", "n": Infinity}', "line 1, n", "Infinity"),
        (
            b'[{"role": "user", "content": "x", "n": 1' + b"0" * 5000 + b"}]",
            "messages[0].n",
            "64 bits",
        ),
        (b"[" * 100_000, "line 1 column 33", "deeper"),
        (
            b'{"role": "user", "content": ' + b"[" * 40 + b"]" * 40 + b"}\n{}",
            "line 1, column",
            "deep",
        ),
        (as_array({"role": "user"}), "messages[0].content", "text"),
        (as_array({"role": "user", "content": None}), "messages[0].content", "text"),
        (as_array({"role": "user", "content": 5}), "messages[0].content", "text"),
        (as_array({"role": "user", "content": [5]}), "messages[0].content[0]", "type"),
        (
            as_array({"role": "user", "content": [{"type": "text"}]}),
            "messages[0].content[0].text",
            "text",
        ),
        (as_array({**SAID, "name": 5}), "messages[0].name", "one line"),
        (as_array({**SAID, "name": "a\nb"}), "messages[0].name", "one line"),
        (as_array({**SAID, "name": "n" * 600}), "messages[0].name", "512"),
        (as_array({**SAID, "tool_calls": 5}), "messages[0].tool_calls", "list"),
        (as_array({**SAID, "tool_calls": [5]}), "messages[0].tool_calls[0]", "object"),
        (
            as_lines({**SAID, "tool_calls": [{"id": 5}]}),
            "line 1, tool_calls[0].id",
            "one line",
        ),
        (
            as_array({**SAID, "tool_calls": [{"function": 5}]}),
            "messages[0].tool_calls[0].function",
            "object",
        ),
    ],
)
def test_bad_input_is_refused_with_its_line_or_field(data, field, rule):
    error = refused(data)

    assert error.field.startswith(field)
    assert rule in error.rule
    assert error.code == "invalid_transcript"


def test_the_size_and_count_limits_hold_at_the_border():
    data = as_lines(SAID, SAID, SAID)

    assert parse(data, limits=Limits(transcript_bytes=len(data), transcript_messages=3))
    assert "larger" in refused(data, Limits(transcript_bytes=len(data) - 1)).rule
    assert "more than 2" in refused(data, Limits(transcript_messages=2)).rule


@pytest.mark.parametrize(
    "data",
    [
        as_array({"role": SECRET, "content": "x"}),
        as_array({"role": "user", "content": {SECRET: SECRET}}),
        as_array({**SAID, "created_at": SECRET}),
        as_lines(SAID) + b"\n" + SECRET.encode(),
        as_array({"role": "user", "content": f"{SECRET}\0"}),
        as_array({"role": "user", "content": [{"type": SECRET, "text": "a"}, {SECRET: 1}]}),
    ],
)
def test_the_refusal_never_repeats_content(data):
    error = refused(data)

    assert SECRET not in str(error)
    assert error.__cause__ is None


def test_text_is_stored_composed():
    (message,) = parse(as_array({"role": "user", "content": "cafe\u0301"}), limits=LIMITS)

    assert message.text == "café"


def test_a_long_run_of_combining_marks_is_refused_fast():
    # NFC over one run of this length takes minutes.
    data = as_array({"role": "user", "content": "a" + "\u0300\u0323" * 200_000})

    error = refused(data)

    assert error.field == "messages[0].content"
    assert "combining marks" in error.rule


def test_vietnamese_chinese_and_emoji_text_is_accepted_whole():
    text = "Nguyễn Thị Ánh 项目 " + "数据" * 100 + " 👩🏽‍💻🇩🇪"

    assert parse(as_array({"role": "user", "content": text}), limits=LIMITS)[0].text == text


@given(st.binary(max_size=300))
def test_arbitrary_bytes_give_messages_or_the_typed_error(data):
    try:
        found = parse(data, limits=LIMITS)
    except InvalidTranscript:
        return
    assert found


near_messages = st.fixed_dictionaries(
    {"role": st.sampled_from([*ROLES, "narrator", 5])},
    optional={
        "content": st.recursive(
            st.none() | st.text(max_size=5) | st.integers(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.fixed_dictionaries({"type": inner}, optional={"text": inner})
            ),
            max_leaves=5,
        ),
        "name": st.none() | st.text(max_size=5) | st.integers(),
        "created_at": st.none() | st.text(max_size=30) | st.floats() | st.integers(),
        "tool_calls": st.none()
        | st.lists(
            st.dictionaries(st.sampled_from(["id", "function"]), st.none() | st.text(max_size=3))
        ),
    },
)


@given(st.lists(near_messages, max_size=4), st.booleans())
def test_nearly_right_messages_give_messages_or_the_typed_error(rows, lines):
    data = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)

    try:
        found = parse(data.encode(), limits=LIMITS)
    except InvalidTranscript:
        return
    assert [m.index for m in found] == list(range(len(rows)))


@given(st.lists(messages, min_size=1, max_size=5))
def test_the_stored_form_gives_the_same_messages_back(rows):
    raw = [
        {"role": r, "content": t, "name": n, "created_at": c.isoformat() if c else None}
        for r, t, n, c in rows
    ]

    found = parse(as_array(*raw), limits=LIMITS)
    stored = json.loads(json.dumps(canonical(found)))

    assert from_canonical(stored) == found
    assert [(m.role, m.text, m.created_at) for m in found] == [(r, t, c) for r, t, _, c in rows]


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"index": 0},
        5,
        {"index": 0, "role": "user", "text": "x", "name": "", "created_at": "never"},
    ],
)
def test_another_stored_form_is_refused(row):
    with pytest.raises(InvalidTranscript, match=r"messages\[0\]"):
        from_canonical([row])
