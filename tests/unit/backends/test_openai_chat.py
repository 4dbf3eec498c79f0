"""The chat extractor, against a real server whose model is good, clumsy, or lies."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from memorykit_app.backends import openai_answer, openai_prompt
from memorykit_app.backends.openai_answer import UNPROVEN
from memorykit_app.backends.openai_chat import ChatExtractor
from memorykit_app.backends.rules import FLAG_CHANGED
from memorykit_app.domain.errors import BackendError
from memorykit_app.domain.messages import Message
from memorykit_app.domain.states import Kind
from tests.unit.backends.speaking import KEY, Reply, serving

MODEL = "Vendor/Chat-Model 2"
NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)
LIMIT = 10
SAID = [
    Message(index=0, role="system", text="You are a helpful assistant."),
    Message(
        index=1, role="user", name="dana", text="We moved the office\n to Lisbon.", created_at=NOW
    ),
    Message(index=2, role="assistant", text="Noted: <b>Lisbon</b> & nothing else."),
    Message(index=3, role="tool", text="Deploy only on Fridays."),
]
QUOTE = "We moved the office\n to Lisbon."


def item(**changes):
    return {
        "kind": "fact",
        "key": "office.city",
        "content": "The office is in Lisbon.",
        "valid_from": None,
        "valid_until": None,
        "importance": 60,
        "confidence": 0.9,
        "quote": QUOTE,
        "message_index": 1,
    } | changes


def candidates(*items):
    return json.dumps({"candidates": list(items)}, ensure_ascii=False)


def completion(text, finish="stop", **message):
    said = {"role": "assistant", "content": text} | message
    return Reply(body={"choices": [{"index": 0, "message": said, "finish_reason": finish}]})


def script(*replies):
    """Return a script that gives one reply after another, the last one for ever."""
    left = [one if isinstance(one, Reply) else completion(one) for one in replies]
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def extract(service, messages=SAID, *, limit=LIMIT, **options):
    extractor = ChatExtractor(service.url, MODEL, KEY, **options)
    return extractor.extract(messages, now=NOW, limit=limit)


def drafts(*replies, messages=SAID, limit=LIMIT, **options):
    """Return the drafts and the requests that were made for them."""
    with serving(script(*replies)) as service:
        return extract(service, messages, limit=limit, **options), service.heard


def failed(*replies, messages=SAID, **options):
    """Return the error, free of content, and the number of requests that led to it."""
    with serving(script(*replies)) as service, pytest.raises(BackendError) as raised:
        extract(service, messages, **options)
    told = str(raised.value) + repr(vars(raised.value))
    assert "Lisbon" not in told
    assert KEY not in told
    return raised.value, len(service.heard)


def test_a_draft_has_everything_that_the_model_said():
    good = item(valid_from="2031-01-01T09:00:00+02:00", valid_until="2031-06-01")

    (found,), heard = drafts(candidates(good))

    assert (found.kind, found.key, found.content) == (Kind.FACT, "office.city", good["content"])
    assert found.valid_from == datetime(2031, 1, 1, 7, tzinfo=UTC)
    assert found.valid_until == datetime(2031, 6, 1, tzinfo=UTC)
    assert (found.importance, found.confidence) == (60, 0.9)
    assert (found.quote, found.message_index, found.flags) == (QUOTE, 1, ())
    assert len(heard) == 1


def test_the_model_is_asked_for_strict_json_and_gets_the_transcript_as_data():
    _, (heard,) = drafts(candidates())

    assert heard.path == "/v1/chat/completions"
    assert heard.body["model"] == MODEL
    assert heard.body["temperature"] == 0
    assert heard.body["response_format"]["json_schema"]["strict"] is True
    system, user = heard.body["messages"]
    assert f"at most {LIMIT}" in system["content"]
    opening, data, closing = user["content"].split("\n")
    assert (opening, closing) == ("<transcript_json>", "</transcript_json>")
    assert not set("<>&") & set(data)
    assert json.loads(data) == {
        "now": NOW.isoformat(),
        "messages": [
            {
                "index": 1,
                "role": "user",
                "name": "dana",
                "created_at": NOW.isoformat(),
                "text": SAID[1].text,
            },
            {"index": 2, "role": "assistant", "text": SAID[2].text},
            {"index": 3, "role": "tool", "outside": True, "text": SAID[3].text},
        ],
    }


def test_the_schema_names_every_field_and_allows_no_other():
    schema = openai_prompt.RESPONSE_FORMAT["json_schema"]["schema"]

    one = schema["properties"]["candidates"]["items"]
    assert set(one["required"]) == set(one["properties"]) == set(item())
    assert one["additionalProperties"] is schema["additionalProperties"] is False


def test_nothing_to_remember_is_an_answer():
    found, heard = drafts(candidates())

    assert (found, len(heard)) == ([], 1)


def test_nothing_to_read_makes_no_request():
    found, heard = drafts(candidates(item()), messages=SAID[:1])

    assert (found, heard) == ([], [])


@pytest.mark.parametrize(
    "wrapped",
    [
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here it is:\n```json\n{}\n```\nAnything else?",
        "```json\n{}",
        "<think>Let me see: {{</think>\n{}",
        "  \n{}\n ",
    ],
)
def test_json_in_a_fence_or_after_a_thought_is_taken_out(wrapped):
    found, heard = drafts(wrapped.replace("{}", candidates(item())))

    assert [draft.content for draft in found] == ["The office is in Lisbon."]
    assert len(heard) == 1


@pytest.mark.parametrize("status", [400, 415, 422, 501])
def test_a_service_without_schemas_is_asked_in_plain_words_and_remembered(status):
    def plain_only(body):
        known = {"model", "messages"}
        return completion(candidates(item())) if set(body) == known else Reply(status=status)

    with serving(plain_only) as service:
        extractor = ChatExtractor(service.url, MODEL)
        first = extractor.extract(SAID, now=NOW, limit=LIMIT)
        asked = len(service.heard)
        second = extractor.extract(SAID, now=NOW, limit=LIMIT)

    assert first == second
    assert (asked, len(service.heard)) == (4, 5)


def test_a_service_that_refuses_the_temperature_only_keeps_the_schema():
    def picky(body):
        return Reply(status=400) if "temperature" in body else completion(candidates(item()))

    with serving(picky) as service:
        assert extract(service)

    assert "response_format" in service.heard[-1].body


def test_options_join_the_request():
    _, (heard,) = drafts(candidates(), options={"max_completion_tokens": 500})

    assert heard.body["max_completion_tokens"] == 500
    assert "temperature" not in heard.body


def test_without_options_there_are_two_ways_to_ask():
    error, asked = failed(Reply(status=400), options={})

    assert (error.recoverable, asked) == (False, 2)


@pytest.mark.parametrize(
    ("reply", "recoverable", "asked"),
    [
        (Reply(status=401), False, 1),
        (Reply(status=404), False, 1),
        (Reply(status=400), False, 4),
        (Reply(status=429, headers={"Retry-After": "30"}), True, 1),
        (Reply(status=500), True, 1),
        (Reply(reset=True), True, 1),
        (Reply(body={"choices": [1] * 9}, cut=5), True, 1),
        (Reply(body=b'{"choices": [{"mess'), True, 1),
        (Reply(body=b" " * (4 * 1_024 * 1_024 + 1)), False, 1),
        (Reply(body={"choices": []}), False, 1),
        (Reply(body={"choices": [{}]}), False, 1),
        (Reply(body={"choices": ["text"]}), False, 1),
        (Reply(body={"choices": None}), False, 1),
        (Reply(body={"error": {"message": "Lisbon"}}), False, 1),
        (completion(["parts"]), False, 1),
    ],
)
def test_a_service_in_trouble(reply, recoverable, asked):
    error, requests = failed(reply)

    assert (error.recoverable, requests) == (recoverable, asked)


def test_a_slow_service_is_not_waited_for():
    error, _ = failed(Reply(hang=5), timeout_seconds=0.3)

    assert error.recoverable


@pytest.mark.parametrize(
    "reply",
    [
        completion(None, refusal="I cannot help with Lisbon."),
        completion("", finish="content_filter"),
        completion(candidates(), refusal="No."),
    ],
)
def test_a_refusal_is_a_failure_and_not_nothing(reply):
    error, asked = failed(reply)

    assert (error.recoverable, asked) == (False, 1)


NO_USE = [
    "",
    "I found nothing.",
    candidates(item())[:-30],
    "[]",
    "null",
    '{"candidates": null}',
    '{"candidates": [], "note": "x"}',
    candidates(item()) + candidates(item()),
    '{"candidates": [], "candidates": []}',
    '{"candidates": [{"importance": NaN}]}',
    candidates("Lisbon"),
    candidates(item(extra=1)),
    candidates({key: value for key, value in item().items() if key != "quote"}),
    candidates(item(kind="rumour")),
    candidates(item(kind=["fact"])),
    candidates(item(key="")),
    candidates(item(key="k" * 999)),
    candidates(item(content=" ")),
    candidates(item(content=7)),
    candidates(item(importance=101)),
    candidates(item(importance="high")),
    candidates(item(importance=60.5)),
    candidates(item(confidence=1.5)),
    candidates(item(confidence=True)),
    candidates(item(valid_from="tomorrow")),
    candidates(item(valid_from=7)),
    candidates(item(valid_from="0001-01-01T00:00:00+14:00")),
    candidates(item(valid_from="2031-02-01", valid_until="2031-01-01")),
    candidates(item(quote="")),
    candidates(item(quote=None)),
    candidates(item(quote="Lisbon " * 999)),
    candidates(item(message_index="1")),
    candidates(item(message_index=True)),
    candidates(item(quote="nobody said this", message_index=99)),
    candidates(item(quote="nobody said this", message_index=-1)),
    candidates(item(quote="nobody said this", message_index=0)),
]


@pytest.mark.parametrize("text", NO_USE)
def test_an_answer_of_no_use_is_repaired_once(text):
    found, (first, second) = drafts(text, candidates(item()))

    assert [draft.content for draft in found] == ["The office is in Lisbon."]
    assert second.body["messages"][:2] == first.body["messages"]
    shown, complaint = second.body["messages"][2:]
    assert shown == {"role": "assistant", "content": text}
    assert "Your answer is not valid:\n- " in complaint["content"]
    assert "Lisbon" not in complaint["content"]


@pytest.mark.parametrize("text", NO_USE)
def test_an_answer_of_no_use_twice_is_a_failure_and_not_nothing(text):
    error, asked = failed(text)

    assert (error.recoverable, asked) == (True, 2)


def test_a_tool_call_instead_of_an_answer_is_repaired():
    call = completion(None, finish="tool_calls", tool_calls=[{"id": "1"}])

    found, heard = drafts(call, candidates(item()))

    assert (len(found), len(heard)) == (1, 2)


def test_a_repair_that_finds_nothing_is_believed():
    assert drafts("oh", candidates())[0] == []


def test_a_repair_that_is_no_better_loses_no_good_draft():
    mixed = candidates(item(), item(kind="rumour"))

    found, heard = drafts(mixed, "I give up")

    assert ([draft.kind for draft in found], len(heard)) == ([Kind.FACT], 2)


@pytest.mark.parametrize("status", [400, 413])
def test_a_repair_that_the_service_refuses_loses_no_good_draft(status):
    found, _ = drafts(candidates(item(), item(kind="rumour")), Reply(status=status))

    assert len(found) == 1


def test_a_repair_that_the_service_refuses_is_a_failure_when_nothing_was_good():
    assert failed("oh", Reply(status=413))[0].recoverable


def test_an_endless_list_of_faults_is_not_told_in_full():
    _, (_, second) = drafts(candidates(*["x"] * 500), candidates())

    assert second.body["messages"][3]["content"].count("\n- ") == 20


def test_a_quote_of_another_message_moves_to_it():
    (found,), heard = drafts(candidates(item(quote="Deploy only on Fridays.", message_index=1)))

    assert (found.message_index, found.quote) == (3, SAID[3].text)
    assert found.confidence == 0.9
    assert len(heard) == 1


def test_a_quote_with_an_index_beyond_the_transcript_moves_to_its_message():
    (found,), _ = drafts(candidates(item(message_index=77)))

    assert found.message_index == 1


def test_a_quote_that_differs_in_space_becomes_exact():
    (found,), _ = drafts(candidates(item(quote=" We moved the office to  Lisbon. ")))

    assert found.quote == QUOTE
    assert found.confidence == 0.9


def test_a_quote_that_nobody_said_leaves_a_doubtful_draft():
    (found,), heard = drafts(candidates(item(quote="We moved to Porto.")))

    assert (found.quote, found.message_index) == ("We moved to Porto.", 1)
    assert found.confidence == UNPROVEN
    assert len(heard) == 1


def test_a_whole_number_may_be_written_with_a_point():
    (found,), _ = drafts(candidates(item(importance=70.0)))

    assert (found.importance, type(found.importance)) == (70, int)


def test_of_too_many_drafts_the_weightiest_stay_in_transcript_order():
    many = [
        item(key=f"k{number}", content=f"Number {number}.", importance=number)
        for number in (5, 90, 10, 80)
    ]

    found, _ = drafts(candidates(*many), limit=2)

    assert [draft.importance for draft in found] == [90, 80]


def test_the_same_draft_twice_is_one_and_the_surest():
    twice = [
        item(confidence=0.5),
        item(content="the office is in lisbon", key="city", confidence=0.8),
        item(content="Lisbon has the office.", confidence=0.6),
    ]

    (found,), _ = drafts(candidates(*twice))

    assert found.confidence == 0.8


def test_a_later_value_of_the_same_thing_flags_the_earlier():
    later = item(content="Deploys are on Fridays.", quote=SAID[3].text, message_index=3)

    found, _ = drafts(candidates(later, item()))

    assert [draft.message_index for draft in found] == [1, 3]
    assert [draft.flags for draft in found] == [(FLAG_CHANGED,), ()]


def long_transcript(count):
    return [
        Message(index=index, role="user", text=f"Fact {index}: " + "the office moved again. " * 4)
        for index in range(count)
    ]


def echo(body):
    """Remember every message that is shown, word for word."""
    data = json.loads(body["messages"][1]["content"].split("\n")[1])
    return completion(
        candidates(
            *(
                item(
                    key=f"fact.{message['index']}",
                    content=f"Fact {message['index']} stands.",
                    quote=message["text"][:20],
                    message_index=message["index"],
                )
                for message in data["messages"]
            )
        )
    )


def test_a_long_transcript_is_read_in_windows_and_each_draft_kept_once():
    messages = long_transcript(30)

    with serving(echo) as service:
        found = extract(service, messages, limit=100, window_tokens=500)

    shown = sum(
        len(heard.body["messages"][1]["content"].split('"index"')) - 1 for heard in service.heard
    )
    assert len(service.heard) > 3
    assert shown > len(messages)
    assert [draft.message_index for draft in found] == list(range(30))


def test_one_window_that_fails_fails_the_whole():
    replies = iter([completion(candidates(item()))])

    def then_refuses(body):
        return next(replies, completion(None, refusal="No."))

    with serving(then_refuses) as service, pytest.raises(BackendError):
        extract(service, long_transcript(30), window_tokens=500)


def test_an_answer_that_was_cut_is_asked_for_in_halves():
    def short_of_breath(body):
        shown = json.loads(body["messages"][1]["content"].split("\n")[1])["messages"]
        return completion('{"candidates": [', "length") if len(shown) > 2 else echo(body)

    with serving(short_of_breath) as service:
        found = extract(service, long_transcript(6))

    assert [draft.message_index for draft in found] == list(range(6))


def test_an_answer_that_is_always_cut_is_a_failure_soon():
    error, asked = failed(completion("{", "length"), messages=long_transcript(64))

    assert not error.recoverable
    assert asked == 4


def test_a_short_message_whose_answer_is_cut_is_a_failure():
    assert failed(completion("{", "length"), messages=SAID[1:2])[1] == 1


def test_the_name_of_the_extractor_is_short_and_plain():
    assert ChatExtractor("http://localhost", MODEL).id == "chat-v1-vendor-chat-model-2"
    assert len(ChatExtractor("http://localhost", "m" * 900).id) <= 48


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": " "}, "model"),
        ({"window_tokens": 100}, "window_tokens"),
        ({"window_tokens": 1e9}, "window_tokens"),
        ({"base_url": ""}, "base_url"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        ChatExtractor(**{"base_url": "http://localhost", "model": MODEL} | options)


def test_its_problems_are_those_of_its_endpoint():
    assert ChatExtractor("http://models.example", MODEL, KEY).problems()
    assert not ChatExtractor("https://models.example", MODEL, KEY).problems()


def test_an_answer_shown_again_is_bounded():
    shown, _ = openai_prompt.repair("x" * 100_000, ["fault"])

    assert len(shown["content"]) == 20_000


def test_an_answer_beyond_every_bound_is_a_fault():
    reading = openai_answer.read("x" * (openai_answer.MAX_CHARS * 4 + 1), ())

    assert (reading.drafts, len(reading.faults)) == ((), 1)
