"""Dates in words, resolved against the day on which they were said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.backends import rules_dates
from tests.unit.backends.speech import SAID_AT

FIRST_DAY, LAST_DAY = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
BEIJING = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ("no merges until Friday", None, "2026-03-07"),
        ("no merges through 12 March", None, "2026-03-13"),
        ("from 2026-04-01 we bill monthly", "2026-04-01", None),
        ("starting on April 3rd, 2027 the fee doubles", "2027-04-03", None),
        ("since 1 December we bill monthly", "2026-12-01", None),
        ("from 1 January we bill monthly", "2026-01-01", None),
        ("since 1 October we bill monthly", "2026-10-01", None),
        ("valid until the end of the month", None, "2026-04-01"),
        ("valid until the end of next month", None, "2026-05-01"),
        ("valid until the end of the quarter", None, "2026-04-01"),
        ("valid until the end of the year", None, "2027-01-01"),
        ("valid until the end of the week", None, "2026-03-09"),
        ("as of tomorrow the port is 80", "2026-03-05", None),
        ("starting next Monday we bill monthly", "2026-03-09", None),
        ("from Wednesday on the door is shut", "2026-03-11", None),
        ("from this Wednesday on the door is shut", "2026-03-04", None),
        ("since last Monday the door is shut", "2026-02-23", None),
        ("从 4 月 1 日起按月收费", "2026-04-01", None),
        ("2027 年 1 月 5 日开始按月收费", "2027-01-05", None),
        ("截至下周五有效", None, "2026-03-14"),
        ("到月底有效", None, "2026-04-01"),
        ("到下个月底有效", None, "2026-05-01"),
        ("到年底有效", None, "2027-01-01"),
        ("从明天开始收费", "2026-03-05", None),
        ("到周五之前有效", None, "2026-03-06"),
        ("on 30 February we bill", None, None),
        ("until 999 days", None, None),
    ],
)
def test_a_date_bounds_a_statement_with_its_last_day_counted_whole(text, begins, ends):
    read = rules_dates.read(text, SAID_AT)

    bounds = (read.valid_from, read.valid_until)
    assert tuple(day and str(day.date()) for day in bounds) == (begins, ends)


def test_before_bounds_only_what_forbids():
    english, chinese = "no merges before Friday", "周五之前不要合并"

    allowed = [rules_dates.read(text, SAID_AT).valid_until for text in (english, chinese)]
    forbidden = [
        rules_dates.read(text, SAID_AT, forbids=True).valid_until for text in (english, chinese)
    ]

    assert allowed == [None, None]
    assert forbidden == [datetime(2026, 3, 6, tzinfo=UTC)] * 2


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("closed until Friday", "closed until 2026-03-06"),
        ("we meet on Friday", "we meet on Friday"),
        ("we meet on next Friday", "we meet on 2026-03-13"),
        ("we met yesterday", "we met on 2026-03-03"),
        ("after yesterday's call", "after the call of 2026-03-03"),
        ("it lands in 2 weeks", "it lands on 2026-03-18"),
        ("it lands in 3 days", "it lands on 2026-03-07"),
        ("it lands in 999 days", "it lands in 999 days"),
        ("it lands at the end of the month", "it lands at on 2026-03-31"),
        ("Fridays are quiet", "Fridays are quiet"),
        ("Friday is quiet", "Friday is quiet"),
        ("the third of 14 March", "the third of 14 March"),
        ("周五发版", "周五发版"),
        ("到周五发版", "到 2026-03-06 发版"),
        ("下周五发版", "2026-03-13 发版"),
        ("3 天后发版", "2026-03-07 发版"),
        ("2 周之后发版", "2026-03-18 发版"),
        ("每周五发版", "每周五发版"),
        ("到 明天 发版", "到 2026-03-05 发版"),
        ("二月底发版", "二月底发版"),
    ],
)
def test_a_relative_day_is_written_out_where_it_would_lose_its_meaning(text, written):
    assert rules_dates.read(text, SAID_AT).text == written


def test_midnight_is_that_of_the_speaker():
    read = rules_dates.read("从明天起收费", SAID_AT.astimezone(BEIJING))

    assert read.valid_from == datetime(2026, 3, 5, tzinfo=BEIJING)


@pytest.mark.parametrize("said", [None, FIRST_DAY, LAST_DAY])
def test_without_a_usable_message_time_nothing_is_resolved(said):
    read = rules_dates.read("closed until Friday", said)

    assert read == rules_dates.Validity(None, None, "closed until Friday", relative=True)


def test_two_readings_of_the_same_words_count_once():
    read = rules_dates.read("from 2026-03-12 until 12 March 2027", SAID_AT)

    assert read.valid_from == datetime(2026, 3, 12, tzinfo=UTC)
    assert read.valid_until == datetime(2027, 3, 13, tzinfo=UTC)
    assert not read.relative


VOCABULARY = """
until from before on next last Friday 12 March 2026-13-40 30 February tomorrow's in 7 weeks
到 从 周五 下 月底 3 月 31 号 之前 起 天后
"""


@given(
    st.lists(st.sampled_from(VOCABULARY.split())).map(" ".join),
    st.dates(date(1900, 1, 1), date(9000, 1, 1)),
)
def test_no_words_and_no_day_break_the_reading(text, day):
    said = datetime(day.year, day.month, day.day, tzinfo=UTC)

    read = rules_dates.read(text, said, forbids=True)

    assert read.text or not text
