"""Time: processor time grows with the text and not with its square, whatever it holds."""

from __future__ import annotations

import time

import pytest

from tests.unit.backends.speech import drafted

HOSTILE = (
    "\n",
    " ",
    "x\n",
    "> ",
    "```",
    '"',
    "“",
    "<memory_records>x</memory_records>",
    "<memory_records>",
    "the ",
    "we decided ",
    "must never ",
    "until friday ",
    "I find ",
    "failed because ",
    "don't save this. ",
    "1 ",
    "aA1/",
    "sk-",
    "token is ",
    "- ",
    "不要",
    "的",
    "团队，是",
    "到周五",
    "我喜欢",
)
SMALL, LARGE = 8_000, 32_000
# Linear is 4, quadratic 16; in between there is room for a busy machine.
MOST_TIMES, SLACK = 9, 0.1
# Nothing longer than this is read as a sentence, so its cost bounds that of any text.
SENTENCE, MOST_SECONDS = 590, 0.3


def seconds(*said):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        drafted(*said)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length_of_the_text(unit):
    small, large = (seconds(unit * (length // len(unit))) for length in (SMALL, LARGE))

    assert large < MOST_TIMES * small + SLACK


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_sentence_takes_long(unit):
    assert seconds(unit * (SENTENCE // len(unit))) < MOST_SECONDS


def test_time_grows_with_the_number_of_messages():
    talk = [f"Service {n} listens on port {n}, don't save this." for n in range(800)]

    small, large = seconds(*talk[:200]), seconds(*talk)

    assert large < MOST_TIMES * small + SLACK
