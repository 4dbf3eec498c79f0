"""Asked dates: what a question says about time, in three languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.asked_dates import asked_dates

# A Friday.
NOW = datetime(2031, 1, 3, 12, 0, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("What did we ship on 5 May 2030?", "2030-05-05", "2029-05-05"),
        ("What did we ship on May 5th, 2030?", "2030-05-05", "2030-05-06"),
        ("the 5th of May", "2029-05-05", "2029-06-05"),
        ("Who left in June?", "2030-06-17", "2030-07-01"),
        ("Who left in June 2030?", "2030-06-17", "2029-06-17"),
        ("the talk of 2030-05-05", "2030-05-05", "2030-05-04"),
        ("the plan for 2030-05", "2030-05-31", "2030-06-01"),
        ("2030年5月4日谁来了", "2030-05-04", "2029-05-04"),
        ("5月4号的天气怎么样？", "2029-05-04", "2029-05-05"),
        ("5月に何を決めましたか", "2029-05-09", "2029-06-09"),
        ("What happened yesterday?", "2031-01-02", "2031-01-03"),
        ("今天说了什么", "2031-01-03", "2031-01-02"),
        ("前天说了什么", "2031-01-01", "2031-01-02"),
        ("last week's incident", "2030-12-23", "2030-12-30"),
        ("先週の障害", "2030-12-29", "2030-12-22"),
        ("this week", "2030-12-30", "2030-12-29"),
        ("上个月", "2030-12-01", "2031-01-01"),
        ("今月", "2031-01-01", "2030-12-31"),
        ("last year", "2030-01-01", "2031-01-01"),
        ("今年", "2031-01-01", "2030-12-31"),
    ],
)
def test_a_named_date_holds_its_days_and_no_others(text, inside, outside):
    dates = asked_dates(text, NOW)

    assert any(date.holds(day(inside)) for date in dates)
    assert not any(date.holds(day(outside)) for date in dates)


@pytest.mark.parametrize(
    "text",
    ["", "May I come in?", "version 2.5", "45 June", "13月99日", "2030-77-01", "marching on"],
)
def test_other_words_name_no_date(text):
    assert asked_dates(text, NOW) == ()


def test_a_date_named_twice_is_one():
    assert len(asked_dates("on 5 May 2030, yes, 5 May 2030", NOW)) == 1


@given(text=st.text(max_size=100), now=st.datetimes(timezones=st.just(UTC)))
def test_any_text_has_an_answer(text, now):
    for date in asked_dates(text, now):
        assert date.holds(now) in (True, False)
