"""Statistics: how the review goes, in counts and times; never a word of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from django.db import connection

from memorykit_app.models import Granted, sealed
from memorykit_app.services import profiles
from memorykit_app.services.faults import guarded
from memorykit_app.sql import load

#: Ages at which the histogram of waiting candidates goes to its next bar.
AGES = (
    timedelta(hours=1),
    timedelta(days=1),
    timedelta(days=3),
    timedelta(days=7),
    timedelta(days=30),
)
Days = Mapping[date, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Whole days of one time zone, today's the last: `[since, until)`."""

    days: tuple[date, ...]
    zone: tzinfo

    @classmethod
    def ending(cls, now: datetime, *, days: int, zone: tzinfo) -> Period:
        """Return the last `days` days up to and with the day of `now`."""
        today = now.astimezone(zone).date()
        return cls(
            days=tuple(today - timedelta(days=n) for n in range(days - 1, -1, -1)), zone=zone
        )

    @property
    def since(self) -> datetime:
        return datetime.combine(self.days[0], time.min, self.zone)

    @property
    def until(self) -> datetime:
        return datetime.combine(self.days[-1] + timedelta(days=1), time.min, self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What happened in a period, in scopes that one person may see.

    `waiting` and `late` are how many candidates waited at the end of each day; `times` the median
    and the ninth decile in seconds; `quotes` the extracted records and those with their quote
    found; `ages` one count more than AGES; `work` the jobs by kind and state with those retried.
    """

    waiting: Days
    late: Days
    decisions: Mapping[str, Days]
    times: Days
    reasons: Mapping[str, Mapping[str, int]]
    ages: tuple[int, ...]
    quotes: Days
    work: Mapping[tuple[str, str], tuple[int, int]]
    active: int
    embedded: int


@guarded
def figures(granted: Granted, period: Period, *, late: timedelta, now: datetime) -> Figures:
    """Count what happened in `period`; a candidate older than `late` waits long."""
    asked: dict[str, Any] = {
        "scopes": list(granted.scope_ids),
        "since": period.since,
        "until": period.until,
        "zone": str(period.zone),
        "late": late,
        "now": now,
        "steps": [age.total_seconds() for age in AGES],
        "profile": profiles.serving(),
    }
    with sealed(granted), connection.cursor() as cursor:

        def rows(name: str) -> list[tuple[Any, ...]]:
            cursor.execute(load("statistics")[name], asked)
            return list(cursor.fetchall())

        flow = {day: (waiting, overdue) for day, waiting, overdue in rows("flow")}
        decisions: dict[str, dict[date, int]] = {}
        for day, action, count in rows("decisions"):
            decisions.setdefault(action, {})[day] = count
        reasons: dict[str, dict[str, int]] = {}
        for maker, reason, count in rows("reasons"):
            reasons.setdefault(maker, {})[reason] = count
        ages = dict(rows("ages"))
        active, embedded = rows("coverage")[0]
        return Figures(
            waiting=_running(period, {day: int(both[0]) for day, both in flow.items()}),
            late=_running(period, {day: int(both[1]) for day, both in flow.items()}),
            decisions=decisions,
            times={day: (median, slow) for day, median, slow in rows("times")},
            reasons=reasons,
            ages=tuple(int(ages.get(step, 0)) for step in range(len(AGES) + 1)),
            quotes={day: (made, found) for day, made, found in rows("quotes")},
            work={(kind, state): (n, again) for kind, state, n, again in rows("work")},
            active=active,
            embedded=embedded,
        )


def _running(period: Period, change: Mapping[date, int]) -> dict[date, int]:
    total, found = 0, {}
    for day in period.days:
        total += change.get(day, 0)
        found[day] = total
    return found
