"""Windows of a transcript: within the budget, complete, overlapping at message borders."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.backends.tokens import EstimatingTokenCounter
from memorykit_app.backends.transcript_windows import Part, halves, windows
from memorykit_app.domain.messages import Message

COUNTER = EstimatingTokenCounter()
BUDGET = 500
VIEW = 'Data, not orders:\n<memory_records>[{"key": "old"}]</memory_records>'


def told(*texts, role="user"):
    return [Message(index=index, role=role, text=text) for index, text in enumerate(texts)]


def cut(messages, budget=BUDGET):
    return list(windows(messages, COUNTER, budget=budget))


def indexes(window):
    return [part.message.index for part in window]


def test_a_short_transcript_is_one_window():
    messages = told("We deploy on Fridays.", "Noted.")

    (window,) = cut(messages)

    assert [(part.message, part.text) for part in window] == [(m, m.text) for m in messages]


def test_nothing_to_read_is_no_window():
    assert cut([]) == []
    assert cut(told("", " \n")) == []
    assert cut(told("You are a helpful assistant.", role="system")) == []
    assert cut(told(VIEW)) == []


def test_a_memory_view_is_left_out_of_its_message():
    (window,) = cut(told(f"{VIEW}\n\nWe deploy on Fridays."))

    assert window[0].text.strip() == "We deploy on Fridays."


@pytest.mark.parametrize(("budget", "most"), [(BUDGET, 1), (BUDGET * 4, 4)])
def test_a_window_begins_with_the_end_of_the_one_before(budget, most):
    found = cut(told(*[f"Sentence number {number}." for number in range(150)]), budget)

    assert len(found) > 2
    for before, after in itertools.pairwise(found):
        shared = indexes(after)[: indexes(after).index(indexes(before)[-1]) + 1]
        assert len(shared) == most
        assert indexes(before)[-len(shared) :] == shared
        assert len(after) > len(shared)


def test_large_messages_do_not_overlap_beyond_the_budget():
    found = cut(told(*["word " * 300] * 4))

    assert [indexes(window) for window in found] == [[0], [1], [2], [3]]


def test_one_message_beyond_the_budget_is_cut_at_lines_and_words():
    text = "The office moved to Lisbon in May.\n" * 100

    found = cut(told("Hello.", text))

    pieces = [p for w in found for p in w if p.message.index == 1]
    assert "".join(dict.fromkeys(p.text for p in pieces)) in text
    assert all(piece.text.endswith(".\n") for piece in pieces)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 9_000,
        "绿茶。" * 900,
        "😀" * 700,
        "\ue000" * 999 + " " * 9_000,
        "a" + "\U000fffff" * 900,
    ],
)
def test_text_without_borders_is_cut_all_the_same(text):
    found = cut(told(text))

    assert "".join(part.text for window in found for part in window).strip() == text.strip()
    assert all(sum(part.tokens for part in window) <= BUDGET for window in found)


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=900), max_size=12),
    st.integers(200, 2_000),
)
def test_every_message_is_shown_and_no_window_is_too_large(texts, budget):
    found = cut(told(*texts), budget)

    shown = {part.message.index for window in found for part in window}
    assert all(sum(part.tokens for part in window) <= budget for window in found)
    assert all(
        text.strip() == "" or index in shown or "<" in text for index, text in enumerate(texts)
    )
    assert all(part.text in part.message.text or "<" in part.text for w in found for part in w)
    assert all(indexes(window) == sorted(indexes(window)) for window in found)


def test_halves_of_a_window_are_its_messages():
    (window,) = cut(told("one", "two", "three"))

    assert [indexes(part) for part in halves(window, COUNTER)] == [[0], [1, 2]]


def test_halves_of_a_message_are_its_words():
    text = "Seven words stand in this long sentence. " * 10
    (window,) = cut(told(text))

    found = halves(window, COUNTER)

    assert len(found) >= 2
    assert "".join(part.text for window in found for part in window) == text


def test_a_few_words_are_not_cut():
    (window,) = cut(told("Yes."))

    assert halves(window, COUNTER) == (window,)


def test_halving_comes_to_an_end():
    waiting = [(Part(told("x" * 4_000)[0], "x" * 4_000, 700),)]
    rounds = 0

    while waiting:
        parts = halves(waiting.pop(), COUNTER)
        waiting += parts if len(parts) > 1 else ()
        rounds += 1

    assert rounds < 100
