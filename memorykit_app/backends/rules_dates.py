"""Dates in words, resolved against the day on which they were said."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ZH_DAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_ZH_NEAR = {"前天": -2, "昨天": -1, "昨晚": -1, "今天": 0, "今晚": 0, "明天": 1, "后天": 2}
_NEAR = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
_MONTH += r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)day"
# A named month more than this many days ago is taken for the one to come.
_BACK = timedelta(days=120)
# Outside these years day arithmetic may leave the calendar.
_YEARS = (1900, 9000)


@dataclass(frozen=True, slots=True)
class Validity:
    """What the dates of a statement say, and its words with relative days written out."""

    valid_from: datetime | None
    valid_until: datetime | None
    text: str
    relative: bool


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    day: date
    relative: bool
    chinese: bool


_Reader = Callable[[re.Match[str], date], date | None]


def _named(day: int, month: int, year: str | None, today: date) -> date | None:
    try:
        if year:
            return date(int(year), month, day)
        this_year = date(today.year, month, day)
        return date(today.year + 1, month, day) if today - this_year > _BACK else this_year
    except ValueError:
        return None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _in_week(weekday: int, today: date, which: str) -> date:
    monday = today - timedelta(days=today.weekday())
    shift = {"next": 7, "下": 7, "下个": 7, "last": -7, "上": -7, "上个": -7}.get(which)
    if shift is not None:
        return monday + timedelta(days=weekday + shift)
    return today + timedelta(days=(weekday - today.weekday()) % 7 or (0 if which else 7))


def _end_of(unit: str, today: date, ahead: int = 0) -> date:
    if unit in ("week", "周"):
        return today + timedelta(days=6 - today.weekday() + 7 * ahead)
    month = today.month
    if unit == "quarter":
        month = (month + 2) // 3 * 3
    elif unit in ("year", "年"):
        month = 12
    year, month = divmod(today.year * 12 + month - 1 + ahead, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1])


def _after(count: int, unit: str, today: date) -> date | None:
    days = {"day": 1, "week": 7, "month": 30, "天": 1, "周": 7, "个月": 30}[unit]
    return today + timedelta(days=count * days) if count <= 400 else None


_READERS: tuple[tuple[re.Pattern[str], _Reader, bool], ...] = (
    (
        re.compile(r"\b(\d{4})-(\d\d?)-(\d\d?)\b"),
        lambda m, t: _named(int(m[3]), int(m[2]), m[1], t),
        False,
    ),
    (
        re.compile(rf"\b(\d\d?)(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}}))?", re.I),
        lambda m, t: _named(int(m[1]), _month(m[2]), m[3], t),
        False,
    ),
    (
        re.compile(rf"\b({_MONTH}) (\d\d?)(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?", re.I),
        lambda m, t: _named(int(m[2]), _month(m[1]), m[3], t),
        False,
    ),
    (
        re.compile(rf"\b(?:(next|last|this)(?: coming)? )?({_DAY})\b(?!s\b)", re.I),
        lambda m, t: _in_week(_DAYS.index(m[2][:3].lower()), t, (m[1] or "").lower()),
        True,
    ),
    (
        re.compile(r"\b(yesterday|today|tonight|tomorrow)\b(?!'s)", re.I),
        lambda m, t: t + timedelta(days=_NEAR[m[1].lower()]),
        True,
    ),
    (
        re.compile(r"\b(?:the )?end of (?:the |this )?(next )?(week|month|quarter|year)\b", re.I),
        lambda m, t: _end_of(m[2].lower(), t, 1 if m[1] else 0),
        True,
    ),
    (
        re.compile(r"\bin (\d{1,3}) (day|week|month)s?\b", re.I),
        lambda m, t: _after(int(m[1]), m[2].lower(), t),
        True,
    ),
    (
        re.compile(r"(?:(\d{4}) ?年 ?)?(\d\d?) ?月 ?(\d\d?) ?[日号]"),
        lambda m, t: _named(int(m[3]), int(m[2]), m[1], t),
        False,
    ),
    (
        re.compile(r"(?<!每)(?:(下个?|这个?|本|上个?))?(?:周|星期|礼拜)([一二三四五六日天])"),
        lambda m, t: _in_week(_ZH_DAYS[m[2]], t, m[1] or ""),
        True,
    ),
    (
        re.compile(r"前天|昨天|昨晚|今天|今晚|明天|后天"),
        lambda m, t: t + timedelta(days=_ZH_NEAR[m[0]]),
        True,
    ),
    (
        re.compile(r"(?<![一二三四五六七八九十\d ])(?:本|这个?|(下个?))?(月|年)底"),
        lambda m, t: _end_of("month" if m[2] == "月" else "年", t, 1 if m[1] else 0),
        True,
    ),
    (
        re.compile(r"(\d{1,3}) ?(天|周|个月)(?:之)?后"),
        lambda m, t: _after(int(m[1]), m[2], t),
        True,
    ),
)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|through|up to)(?: the)? |(?:截至|截止到?|直到|到) ?)$", re.I
)
_BEFORE = re.compile(r"\bbefore $", re.I)
_FROM = re.compile(
    r"(?:\b(?:from|starting(?: on| from)?|as of|effective(?: from)?|since|beginning(?: on)?) "
    r"|(?:从|自) ?)$",
    re.I,
)
_PREPOSITION = re.compile(
    r"\b(?:until|till|through|by|from|since|before|after|on|as of|starting|for"
    r"|of) $",
    re.I,
)
_ANCHORED = re.compile(
    r"\b(?:until|till|through|by|from|since|before|after|as of|starting|next|last"
    r"|this) ",
    re.I,
)
_ZH_ANCHORED = re.compile(r"(?:到|截至|截止|从|自|下个?|这个?|本|上个?) ?$")
_ZH_BEFORE = re.compile(r" ?(?:之前|以前|前)")
_ZH_FROM = re.compile(r" ?(?:起|开始)")
_POSSESSIVE = re.compile(r"\b(yesterday|today|tonight|tomorrow)'s (\w+)", re.I)


def read(text: str, said: datetime | None, *, forbids: bool = False) -> Validity:
    """Return what the dates in `text` mean for someone who spoke at `said`.

    A last day counts whole, in the speaker's offset: `until Friday` ends as Saturday begins.
    `before Friday` bounds only a statement that `forbids`. Without `said` nothing is
    resolved and `relative` says whether that left a day unclear.
    """
    if said is not None and not _YEARS[0] < said.year < _YEARS[1]:
        said = None
    spans = list(_spans(text, said.date() if said else date(2000, 1, 3)))
    relative = any(span.relative for span in spans)
    if said is None:
        return Validity(None, None, text, relative)
    begins = ends = None
    for span in spans:
        before, after = text[: span.start], text[span.end :]
        until = _UNTIL.search(before) is not None
        if span.chinese and _ZH_BEFORE.match(after) and (until or forbids):
            ends = span.day
        elif until:
            ends = span.day + timedelta(days=1)
        elif forbids and _BEFORE.search(before):
            ends = span.day
        elif _FROM.search(before) or (span.chinese and _ZH_FROM.match(after)):
            begins = span.day
    return Validity(
        _midnight(begins, said),
        _midnight(ends, said),
        _written_out(text, spans, said),
        relative,
    )


def _midnight(day: date | None, said: datetime) -> datetime | None:
    return datetime.combine(day, time(), said.tzinfo) if day else None


def _spans(text: str, today: date) -> Iterator[_Span]:
    taken: list[_Span] = []
    for pattern, reader, relative in _READERS:
        for found in pattern.finditer(text):
            day = reader(found, today)
            if day and not any(s.start < found.end() and found.start() < s.end for s in taken):
                chinese = not found.group().isascii()
                taken.append(_Span(found.start(), found.end(), day, relative, chinese))
    yield from sorted(taken, key=lambda span: span.start)


def _written_out(text: str, spans: list[_Span], said: datetime) -> str:
    for span in reversed(spans):
        if span.relative and (shown := _shown(text, span)):
            before, after = text[: span.start], text[span.end :]
            if span.chinese:
                shown = (
                    f"{' ' * (before[-1:].strip() != '')}{shown}{' ' * (after[:1].strip() != '')}"
                )
            text = before + shown + after
    return _POSSESSIVE.sub(
        lambda m: f"the {m[2]} of {said.date() + timedelta(days=_NEAR[m[1].lower()])}", text
    )


def _shown(text: str, span: _Span) -> str:
    before, words = text[: span.start], text[span.start : span.end]
    if span.chinese:
        bare = words[0] in "周星礼"
        return str(span.day) if not bare or _ZH_ANCHORED.search(before) else ""
    if _PREPOSITION.search(before):
        on_a_weekday = (
            before.lower().endswith("on ") and " " not in words and words.lower() not in _NEAR
        )
        return "" if on_a_weekday else str(span.day)
    anchored = words.lower() in _NEAR or _ANCHORED.match(words + " ")
    return (
        f"on {span.day}" if anchored or words.lower().startswith(("in ", "the end", "end")) else ""
    )
