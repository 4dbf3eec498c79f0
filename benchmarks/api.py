"""Measure the API as hosts use it: gunicorn, eight clients in a process of their own, overload.

Recall is compared with its own statement, run by eight bare psycopg clients in the same run. A
worker runs beside it, so that writes are embedded while they are measured.
"""

# The servers start with the settings, and the settings before Django.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import statistics
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bench_settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import django

django.setup()

from django.core.management import call_command

from benchmarks import api_server, speed_data
from benchmarks.api_driver import CLIENTS, SCOPE, Driver, process
from benchmarks.api_floor import Plan
from benchmarks.api_load import Load
from benchmarks.bench_settings import PROFILE
from benchmarks.recall_data import BY
from benchmarks.speed_data import Maker
from memorykit_app import sql
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import statements
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall
from memorykit_app.services import profiles

QUESTIONS = 64
#: Projects of three tenants beside the one that is asked, and what each holds.
OTHERS, OTHER_RECORDS = 5, 1_000
OVERLOAD = 4
#: A second is as before when its p95 is at most this many times that of the quiet run.
NORMAL = 1.5
WRITE = {
    "kind": "fact",
    "key": "build.server.{n}",
    "content": "The build server number {n} in Lisbon runs all tests before each deploy.",
    "reason": "user_asked",
    "importance": 40,
    "confidence": 0.8,
}
GOALS = {
    "recall_p95_times_floor": 2.5,
    "uncached_p50_above_cached_ms": 25.0,
    "write_p95_ms": 60.0,
    "key_read_p95_ms": 15.0,
    "overload_unexpected": 0,
    "normal_after_s": 10.0,
    "writes_lost": 0,
    "not_served": 0,
}


def main() -> None:
    options = _options()
    call_command("migrate", verbosity=0)
    profiles.ensure(PROFILE)
    maker = Maker()
    records = list(maker.records(options.records))
    with speed_data.open_tables():
        speed_data.fill(SCOPE, records, PROFILE)
        for number in range(1, OTHERS + 1):
            other = Scope.project(f"tenant-{number // 2}", f"project-{number}")
            speed_data.fill(other, list(maker.records(OTHER_RECORDS)), PROFILE)
    questions = [maker.question(records)[0] for _ in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as logs, api_server.running(Path(logs)) as url:
        _conclude(_measured(Driver(url, options.seconds), questions, options.records))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=5_000, help="in the scope that is asked")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    return parser.parse_args()


def _measured(driver: Driver, questions: Sequence[str], records: int) -> dict[str, float]:
    recalls = [("POST", "/recall", {"query": text}) for text in questions]
    unlike = [("POST", "/recall", {"query": text + " {n}"}) for text in questions]
    keys = [("GET", f"/memories?key=r{number % records:x}x", None) for number in range(1_000)]
    figures: dict[str, float] = {}
    floor = process("benchmarks.api_floor", pickle.dumps(_floor(questions, driver.seconds)))
    figures |= _row("recall's statement, bare", "floor", floor, driver.seconds)
    driver.run("warm", recalls, stop=2 * QUESTIONS)
    quiet = driver.run("recall", recalls)
    figures |= _checked("recall, question asked before", "recall", quiet, driver.seconds)
    uncached = driver.run("uncached", unlike)
    figures |= _checked("recall, question new", "uncached", uncached, driver.seconds)
    read = driver.run("read", keys)
    figures |= _checked("read by key", "key_read", read, driver.seconds)
    figures |= _overload(driver, recalls, figures)
    # Last, since the worker goes on with what is written.
    written = driver.run("write", [("POST", "/memories", WRITE)])
    figures |= _checked("write", "write", written, driver.seconds)
    figures["writes_lost"] = written.statuses.count(201) - _written()
    figures["not_served"] = sum(
        value for name, value in figures.items() if name.endswith("_not_served")
    )
    figures["recall_p95_times_floor"] = round(figures["recall_p95_ms"] / figures["floor_p95_ms"], 2)
    figures["uncached_p50_above_cached_ms"] = round(
        figures["uncached_p50_ms"] - figures["recall_p50_ms"], 2
    )
    return figures


def _floor(questions: Sequence[str], seconds: float) -> Plan:
    """Return what recall sends for each question, the statement that ranks and its settings."""
    queries = sql.load("recall")
    seen: list[tuple[str, Any]] = []
    real = statements.execute

    def listening(statement: str, params: Any, *, limit_ms: int) -> Any:
        seen.append((statement, dict(params)))
        return real(statement, params, limit_ms=limit_ms)

    asked = []
    with patch.object(statements, "execute", listening):
        for text in questions:
            seen.clear()
            recall(RecallQuery(text=text), scope=SCOPE, by=BY, now=speed_data.NOW)
            asked.append(seen[0])
    return Plan(
        url=os.environ["DATABASE_URL"],
        seconds=seconds,
        clients=CLIENTS,
        before=[
            ("SELECT set_config('memorykit.scope', %(scope)s, true)", {"scope": str(SCOPE.id)}),
            (queries["prepare"], {"statement_ms": "60000ms"}),
        ],
        asked=asked,
    )


def _overload(
    driver: Driver, recalls: Sequence[tuple[str, str, Any]], quiet: dict[str, float]
) -> dict[str, float]:
    """Flood the server at four times the rate it just served, then call as before."""
    rate = OVERLOAD * quiet["recall_per_second"]
    flood = driver.run("flood", recalls, loop="open", rate=rate)
    after = driver.run("after", recalls)
    told = Counter(flood.statuses)
    good = [
        took for took, status in zip(flood.took_ms, flood.statuses, strict=True) if status == 200
    ]
    figures = _row(f"recall at {rate:.0f} calls/s, served", "overload", good, driver.seconds)
    words = ", ".join(f"{number} x {status or 'no answer'}" for status, number in told.items())
    figures["overload_unexpected"] = (
        sum(number for status, number in told.items() if status not in (200, 429, 503)) + flood.bare
    )
    figures["normal_after_s"] = _normal_after(after, quiet["recall_p95_ms"])
    print(
        f"  at {OVERLOAD} times the rate: {words}; normal after {figures['normal_after_s']:.0f} s"
    )
    return figures


def _normal_after(load: Load, p95: float) -> float:
    """Return the seconds until a second in which every call is served nearly as fast as before."""
    last = int(max(load.began, default=0.0))
    for second in range(last):
        calls = [
            (took, status)
            for began, took, status in zip(load.began, load.took_ms, load.statuses, strict=True)
            if int(began) == second
        ]
        served = all(status == 200 for _, status in calls)
        if len(calls) > 1 and served and _cut([took for took, _ in calls], 95) <= NORMAL * p95:
            return second
    return float("inf")


def _written() -> int:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).filter(key__startswith="build.server.").count()


def _checked(title: str, name: str, load: Load, seconds: float) -> dict[str, float]:
    refused = Counter(status for status in load.statuses if status not in (200, 201))
    if refused:
        print(f"  {title}: not served were {dict(refused)}")
    return _row(title, name, load.took_ms, seconds) | {f"{name}_not_served": refused.total()}


def _row(title: str, name: str, took: Sequence[float], seconds: float) -> dict[str, float]:
    figures = {f"{name}_p{percent}_ms": _cut(took, percent) for percent in (50, 95, 99)}
    figures[f"{name}_per_second"] = round(len(took) / seconds, 1)
    print(
        f"  {title:36} p50 {figures[f'{name}_p50_ms']:7.1f}  p95 {figures[f'{name}_p95_ms']:7.1f}"
        f"  p99 {figures[f'{name}_p99_ms']:7.1f} ms  {figures[f'{name}_per_second']:7.1f}/s",
        flush=True,
    )
    return figures


def _cut(times: Sequence[float], percent: int) -> float:
    return round(statistics.quantiles(times, n=100)[percent - 1], 2)


def _conclude(figures: dict[str, float]) -> None:
    for name, goal in GOALS.items():
        print(f"{name:32} {figures[name]:8.2f}   goal {goal}")
    print(
        json.dumps(
            {
                "bench": "api",
                "figures": figures,
                "goals": GOALS,
                "met": all(figures[name] <= goal for name, goal in GOALS.items()),
                "versions": {"python": platform.python_version(), "django": django.__version__},
                "machine": {"cpus": os.cpu_count(), "system": platform.platform()},
            }
        )
    )


if __name__ == "__main__":
    main()
