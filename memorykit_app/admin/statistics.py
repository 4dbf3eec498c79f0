"""Statistics: how the review goes, per project and period, as charts, tables and CSV."""

from __future__ import annotations

import csv
from datetime import date

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memorykit_app.admin import listing, words
from memorykit_app.admin.charts import Chart, Series
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.people import Names
from memorykit_app.admin.row import LATE
from memorykit_app.models import Granted
from memorykit_app.services import statistics
from memorykit_app.services.statistics import Figures, Period

PERIODS = ("30", "7", "90")
OUTCOMES = ("activate", "correct", "dismiss", "expire", "forget", "restore", "revert", "erase")


def show(desk: Desk) -> HttpResponse:
    """Show the charts of the granted scopes, or of one of them."""
    asked = listing.filters(desk, PERIODS)
    with desk.sealed():
        charts, found = _charts(desk, asked)
        context = {
            "filters": asked,
            "charts": charts,
            "figures": found,
            "share": round(100 * found.embedded / found.active) if found.active else None,
            "tabs": [
                {
                    "word": _("%(n)s days") % {"n": days},
                    "count": None,
                    "link": asked.link(view=days),
                    "open": days == asked.view,
                }
                for days in sorted(PERIODS, key=int)
            ],
            **listing.choices(desk),
        }
        return desk.page("statistics", _("Statistics"), context)


def table(desk: Desk, chart: str) -> HttpResponse:
    """Send the figures of one chart as CSV."""
    asked = listing.filters(desk, PERIODS)
    found = next((one for one in _charts(desk, asked)[0] if one.name == chart), None)
    if found is None:
        raise Http404
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="memorykit-{found.name}.csv"'
    writer = csv.writer(response)
    writer.writerow(["", *(one.word for one in found.series)])
    writer.writerows([word, *row] for word, row in found.rows())
    return response


def _charts(desk: Desk, asked: listing.Filters) -> tuple[list[Chart], Figures]:
    period = Period.ending(desk.now, days=int(asked.view), zone=timezone.get_current_timezone())
    scopes = Granted([asked.scope]) if asked.scope else desk.granted
    found = statistics.figures(scopes, period, late=LATE, now=desk.now)
    return [
        _backlog(found, period),
        _ages(found),
        _decisions(found, period),
        _reasons(found),
        _times(found, period),
        _shares(found, period),
        _quotes(found, period),
        _work(found),
    ], found


def _backlog(found: Figures, period: Period) -> Chart:
    return Chart(
        name="backlog",
        title=_("Waiting at the end of each day"),
        says=_("Candidates that nobody had decided, and those of them that waited long."),
        columns=_days(period),
        series=(
            Series(word=_("waiting"), values=tuple(found.waiting[day] for day in period.days)),
            Series(word=_("waiting long"), values=tuple(found.late[day] for day in period.days)),
        ),
        lines=True,
    )


def _ages(found: Figures) -> Chart:
    return Chart(
        name="ages",
        title=_("Age of what waits now"),
        says=_("How long ago the waiting candidates were made."),
        columns=(
            _("under 1 hour"),
            _("under 1 day"),
            _("under 3 days"),
            _("under 7 days"),
            _("under 30 days"),
            _("older"),
        ),
        series=(Series(word=_("waiting"), values=found.ages),),
    )


def _decisions(found: Figures, period: Period) -> Chart:
    shown = [verb for verb in OUTCOMES if verb in found.decisions]
    return Chart(
        name="decisions",
        title=_("Decisions by day"),
        says=_("Each step that a person or a rule took, by its outcome."),
        columns=_days(period),
        series=tuple(
            Series(
                word=words.of(words.DONE, verb),
                values=tuple(found.decisions[verb].get(day, 0) for day in period.days),
            )
            for verb in shown
        ),
    )


def _reasons(found: Figures) -> Chart:
    makers = sorted(found.reasons)
    names = Names(makers)
    codes = sorted({code for counts in found.reasons.values() for code in counts})
    return Chart(
        name="reasons",
        title=_("Why candidates were dismissed, by who proposed them"),
        says=_("A change of the extractor or its prompt shows here."),
        columns=tuple(names.of(maker) for maker in makers),
        series=tuple(
            Series(
                word=words.of(words.REASONS, code) if code else _("none given"),
                values=tuple(found.reasons[maker].get(code, 0) for maker in makers),
            )
            for code in codes
        ),
    )


def _times(found: Figures, period: Period) -> Chart:
    def hours(part: int) -> tuple[float | None, ...]:
        return tuple(
            round(found.times[day][part] / 3_600, 2) if day in found.times else None
            for day in period.days
        )

    return Chart(
        name="times",
        title=_("Hours until a decision"),
        says=_("Half of the candidates decided that day had waited less than the median."),
        columns=_days(period),
        series=(
            Series(word=_("median"), values=hours(0)),
            Series(word=_("nine of ten under"), values=hours(1)),
        ),
        lines=True,
        unit=_("hours"),
    )


def _shares(found: Figures, period: Period) -> Chart:
    def share(verb: str) -> tuple[float | None, ...]:
        return tuple(
            _percent(_count(found, verb, day), _count(found, "activate", day))
            for day in period.days
        )

    return Chart(
        name="corrections",
        title=_("Corrected and undone, per hundred activations"),
        says=_("Many corrections ask for a better extractor, many undone ones for more time."),
        columns=_days(period),
        series=(
            Series(word=words.of(words.DONE, "correct"), values=share("correct")),
            Series(word=words.of(words.DONE, "revert"), values=share("revert")),
        ),
        lines=True,
        unit="%",
    )


def _quotes(found: Figures, period: Period) -> Chart:
    return Chart(
        name="quotes",
        title=_("Extracted records with their quote in the source"),
        says=_("By the day they were made; erased ones are not counted."),
        columns=_days(period),
        series=(
            Series(
                word=_("quote found"),
                values=tuple(
                    _percent(*reversed(found.quotes[day])) if day in found.quotes else None
                    for day in period.days
                ),
            ),
        ),
        lines=True,
        unit="%",
    )


def _work(found: Figures) -> Chart:
    rows = sorted(found.work)
    return Chart(
        name="jobs",
        title=_("Background work"),
        says=_("Jobs that are kept, by what they do and how they ended."),
        columns=tuple(f"{kind} {state}" for kind, state in rows),
        series=(
            Series(word=_("at once"), values=tuple(_first(found.work[row]) for row in rows)),
            Series(word=_("tried again"), values=tuple(found.work[row][1] for row in rows)),
        ),
    )


def _first(counts: tuple[int, int]) -> int:
    return counts[0] - counts[1]


def _days(period: Period) -> tuple[str, ...]:
    return tuple(day.isoformat() for day in period.days)


def _count(found: Figures, verb: str, day: date) -> int:
    return int(found.decisions.get(verb, {}).get(day, 0))


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
