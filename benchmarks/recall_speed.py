"""Measure how fast recall answers, beside the bare statement it runs and beside mem0.

The query vector is given; scopes of 1,000, 10,000 and 100,000 records stand among many others.
"""

# The servers start with the settings, and the settings before Django.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bench_settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import django

django.setup()

from django.core.management import call_command
from django.db import connection

from benchmarks import rival_mem0, speed_data
from benchmarks.bench_settings import PROFILE
from benchmarks.recall_data import BY
from benchmarks.speed_data import Maker, Record
from memorykit_app.backends import query_vectors
from memorykit_app.backends.query_vectors import Attempt, Reason
from memorykit_app.domain.scope import Scope
from memorykit_app.models import sealed
from memorykit_app.recall import channels, question
from memorykit_app.recall.channels import Asked, Search
from memorykit_app.recall.deadline import Deadline
from memorykit_app.recall.policy import policy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall
from memorykit_app.services import profiles

NOW = speed_data.NOW
OTHER_SCOPE = 1_000
GOALS = {
    "times_floor_plus_3_ms_at_10000": 1.5,
    "p50_ms_at_10000": 15.0,
    "p95_ms_at_10000": 30.0,
    "times_as_fast_as_mem0_at_10000": 3.0,
}

Asking = list[tuple[str, list[float]]]


def main() -> None:
    options = _options()
    call_command("migrate", verbosity=0)
    profiles.ensure(PROFILE)
    maker = Maker()
    sizes = [int(size) for size in options.sizes.split(",")]
    records = {size: list(maker.records(size)) for size in sizes}
    asked = {size: [maker.question(records[size]) for _ in range(options.calls)] for size in sizes}
    figures: dict[str, Any] = {}
    total = 0
    for stop in (sum(sizes), options.records):
        started = time.monotonic()
        _fill(
            maker, records if total == 0 else {}, stop - total - (sum(sizes) if total == 0 else 0)
        )
        total = stop
        print(f"{total} records in all (loaded in {time.monotonic() - started:.0f} s)")
        for size in sizes:
            figures |= {
                f"{name}_at_{size}_of_{total}": value
                for name, value in _measured(size, asked[size]).items()
            }
    small = [size for size in sizes if size <= 10_000]
    figures |= _rival(records, asked, small, figures, total)
    _conclude(figures, sizes, total)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=200_000, help="in all (long: 1000000)")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--calls", type=int, default=60)
    return parser.parse_args()


def _scope(name: object) -> Scope:
    return Scope.project("bench", f"size-{name}")


def _fill(maker: Maker, records: dict[int, list[Record]], others: int) -> None:
    with speed_data.open_tables():
        for size, made in records.items():
            speed_data.fill(_scope(size), made, PROFILE)
        while others > 0:
            some = list(maker.records(min(others, OTHER_SCOPE)))
            speed_data.fill(_scope(f"other-{some[0].id.hex}"), some, PROFILE)
            others -= len(some)


def _measured(size: int, asked: Asking) -> dict[str, float]:
    """Return milliseconds of the whole recall and of the bare statement, turn by turn."""
    scope, vectors = _scope(size), dict(asked)

    def given(text: str, timeout: float, profile: str) -> Attempt:
        return Attempt(vectors[text], Reason.CACHED)

    query_vectors.attempt = given
    whole = _times(lambda text: recall(RecallQuery(text=text), scope=scope, by=BY, now=NOW), asked)
    bare = _times(lambda text: _bare(scope, text), asked)
    figures = {
        "p50_ms": _cut(whole, 50),
        "p95_ms": _cut(whole, 95),
        "floor_p50_ms": _cut(bare, 50),
        "floor_p95_ms": _cut(bare, 95),
    }
    print(
        f"  {size:7} in scope: recall p50 {figures['p50_ms']:7.2f} p95 {figures['p95_ms']:7.2f} ms,"
        f" its bare statement p50 {figures['floor_p50_ms']:7.2f} p95"
        f" {figures['floor_p95_ms']:7.2f} ms",
        flush=True,
    )
    return figures


def _bare(scope: Scope, text: str) -> None:
    """Run the ranks statement and nothing else of recall."""
    rules = policy()
    deadline = Deadline(60)
    asked = Asked(
        scope_id=scope.id,
        at=NOW,
        kinds=(),
        terms=question.asked_terms(text, rules),
        vector=question.vector(text, rules, deadline),
    )
    search = Search(asked, rules, deadline)
    with sealed(scope):
        started = time.perf_counter()
        search._execute(search._statement((channels.FULL_TEXT, channels.VECTOR)), 60_000)
        _bare_times.append((time.perf_counter() - started) * 1_000)


_bare_times: list[float] = []


def _times(call: Callable[[str], object], asked: Asking) -> list[float]:
    for text, _ in asked[:5]:
        call(text)
    _bare_times.clear()
    times = []
    for text, _ in asked:
        started = time.perf_counter()
        call(text)
        times.append((time.perf_counter() - started) * 1_000)
    return list(_bare_times) or times


def _rival(
    records: dict[int, list[Record]],
    asked: dict[int, Asking],
    sizes: Sequence[int],
    own: dict[str, Any],
    total: int,
) -> dict[str, float]:
    if not sizes:
        return {}
    rival = rival_mem0.Mem0(connection.settings_dict, {size: records[size] for size in sizes})
    figures = {}
    for size in sizes:
        vectors = dict(asked[size])
        rival.vectors = vectors
        times = _times(lambda text, size=size: rival.search(size, text), asked[size])
        found = [len(rival.search(size, text)) for text in vectors]
        mine = own[f"p50_ms_at_{size}_of_{total}"]
        figures[f"mem0_p50_ms_at_{size}"] = _cut(times, 50)
        figures[f"mem0_p95_ms_at_{size}"] = _cut(times, 95)
        figures[f"mem0_results_at_{size}"] = round(statistics.mean(found), 2)
        figures[f"times_as_fast_as_mem0_at_{size}"] = round(_cut(times, 50) / mine, 2)
        print(
            f"  mem0, {size:6} in scope: p50 {_cut(times, 50):7.2f} p95 {_cut(times, 95):7.2f} ms,"
            f" {statistics.mean(found):.1f} of 10 results"
        )
    return figures


def _cut(times: Sequence[float], percent: int) -> float:
    return round(statistics.quantiles(times, n=100)[percent - 1], 3)


def _conclude(figures: dict[str, Any], sizes: Sequence[int], total: int) -> None:
    if 10_000 in sizes:
        mine = figures[f"p50_ms_at_10000_of_{total}"]
        floor = figures[f"floor_p50_ms_at_10000_of_{total}"]
        figures["times_floor_plus_3_ms_at_10000"] = round((mine - 3) / floor, 3)
        figures["p50_ms_at_10000"] = mine
        figures["p95_ms_at_10000"] = figures[f"p95_ms_at_10000_of_{total}"]
    at_least = {"times_as_fast_as_mem0_at_10000"}
    met = all(
        name in figures and (figures[name] >= goal if name in at_least else figures[name] <= goal)
        for name, goal in GOALS.items()
    )
    for name, goal in GOALS.items():
        print(f"{name:36} {figures.get(name, float('nan')):8.3f}   goal {goal}")
    print(
        json.dumps(
            {
                "bench": "recall_speed",
                "figures": figures,
                "goals": GOALS,
                "met": met,
                "versions": {"python": platform.python_version(), "mem0": rival_mem0.VERSION},
                "machine": {"cpus": os.cpu_count(), "system": platform.platform()},
            }
        )
    )


if __name__ == "__main__":
    sys.exit(main())
