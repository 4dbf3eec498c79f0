"""Dates that a question names, in English, Chinese and Japanese, also relative to now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NUMBER = {name: number for number, name in enumerate(_MONTHS, start=1)} | {
    name[:3]: number for number, name in enumerate(_MONTHS, start=1)
}
_MONTH = "|".join(sorted(_NUMBER, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})"
_YEAR = r"(?P<year>\d{4})"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_DAY}(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b\.?,?(?: {_YEAR})?",
        rf"\b(?P<month>{_MONTH})\.? {_DAY}(?:st|nd|rd|th)?\b(?!\d)(?:,? {_YEAR})?",
        rf"\b(?:in|of|during|since|late|early) (?P<month>{_MONTH})\b(?! \d\d?\b),?(?: {_YEAR})?",
        rf"(?:{_YEAR}年)?(?P<month>\d{{1,2}})月(?:{_DAY}[日号])?",
        rf"\b{_YEAR}-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b",
    )
)


def _days(first: int, last: int) -> Callable[[date], tuple[date, date]]:
    return lambda today: (today + timedelta(first), today + timedelta(last))


def _week(back: int) -> Callable[[date], tuple[date, date]]:
    def days(today: date) -> tuple[date, date]:
        monday = today - timedelta(today.weekday() + 7 * back)
        return monday, monday + timedelta(6)

    return days


def _month(back: int) -> Callable[[date], tuple[date, date]]:
    def days(today: date) -> tuple[date, date]:
        last = today
        for _ in range(back):
            last = last.replace(day=1) - timedelta(1)
        return last.replace(day=1), last

    return days


def _year(back: int) -> Callable[[date], tuple[date, date]]:
    return lambda today: (date(today.year - back, 1, 1), date(today.year - back, 12, 31))


_RELATIVE: tuple[tuple[re.Pattern[str], Callable[[date], tuple[date, date]]], ...] = tuple(
    (re.compile(pattern), days)
    for pattern, days in (
        (r"\btoday\b|今天|今日", _days(0, 0)),
        (r"\byesterday\b|昨天|昨日", _days(-1, -1)),
        (r"\bthe day before yesterday\b|前天|一昨日", _days(-2, -2)),
        (r"\bthis week\b|这周|本周|这个?星期|今週", _week(0)),
        (r"\blast week\b|上周|上个?星期|先週", _week(1)),
        (r"\bthis month\b|这个月|本月|今月", _month(0)),
        (r"\blast month\b|上个月|上月|先月", _month(1)),
        (r"\bthis year\b|今年", _year(0)),
        (r"\blast year\b|去年|昨年", _year(1)),
    )
)


@dataclass(frozen=True, slots=True)
class AskedDate:
    """A day, a month or a span of days; without a year it is that day of any year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    span: tuple[date, date] | None = None

    def holds(self, moment: datetime) -> bool:
        there = moment.date()
        if self.span is not None:
            return self.span[0] <= there <= self.span[1]
        asked = (self.year, self.month, self.day)
        found = (there.year, there.month, there.day)
        return all(want in (None, have) for want, have in zip(asked, found, strict=True))


def asked_dates(text: str, now: datetime) -> tuple[AskedDate, ...]:
    """Return the dates that a text names, each once, seen from `now`; none is a valid answer."""
    return tuple(dict.fromkeys(_found(text.lower(), now.date())))


def _found(text: str, today: date) -> Iterator[AskedDate]:
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            name = parts["month"]
            month = _NUMBER.get(name) or int(name)
            day = int(parts["day"]) if parts.get("day") else None
            if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
                yield AskedDate(int(parts["year"]) if parts["year"] else None, month, day)
    for pattern, days in _RELATIVE:
        if pattern.search(text):
            yield AskedDate(span=days(today))
