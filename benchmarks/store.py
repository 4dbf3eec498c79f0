"""Measure the store: verbs per second through the services, beside the same rows by bare SQL.

`python -m project.services.testing -- python benchmarks/store.py [--records N] [--clients 1 8]`
Clients are processes of their own, all in one scope. The bare SQL writes the rows of record,
source, revision, terms and job, in one transaction a verb, under the same guards; its rows are
made beforehand, so it does no work of the services'.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings_test")
os.environ["LOG_LEVEL"] = "ERROR"

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from benchmarks import store_floor as floor  # noqa: E402
from memorykit_app.domain.actors import Principal  # noqa: E402
from memorykit_app.domain.drafts import Draft, SourceRef  # noqa: E402
from memorykit_app.domain.scope import Scope  # noqa: E402
from memorykit_app.domain.states import Kind, Provenance, State  # noqa: E402
from memorykit_app.models import Memory  # noqa: E402
from memorykit_app.services import correction, creation, erasure, memories, scopes  # noqa: E402
from memorykit_app.services.correction import Correction  # noqa: E402
from memorykit_app.services.lifecycle import Command  # noqa: E402
from memorykit_app.testing import edge_probes, service_probes, two_scopes  # noqa: E402
from memorykit_app.testing import pair as pairs  # noqa: E402

VERBS = ("create", "activate", "correct", "erase")
GOALS = {f"{verb}_ratio_{clients}": 3.0 for verb in ("create", "activate") for clients in (1, 8)}
GOALS["time_apart_ms"] = 5.0
BENCH, REVIEWER = Principal.operator("bench"), Principal.operator("reviewer")
NOW = datetime(2031, 1, 1, 12, tzinfo=UTC)
TEXT = "The build server number {} in Lisbon runs all tests before each deploy on Tuesday."
QUOTE = SourceRef(kind="note", ref="note:1", quote="said")
#: Told apart by time: what looks up an id or a key, by service and over HTTP.
TIMED = ("service reading.read", "service memories.forget", "service search.recall",
         "route read_memory")  # fmt: skip
Steps = dict[str, list[Callable[[], object]]]


def command(scope: Scope, version: int) -> Command:
    return Command(
        scope=scope,
        by=REVIEWER,
        now=NOW + timedelta(seconds=version),
        expected_version=version,
        reason="bench",
    )


def by_services(scope: Scope, client: int, number: int) -> Steps:
    made: list[Memory] = []
    waiting: list[Memory] = []

    def create(index: int, state: State, kept: list[Memory]) -> None:
        draft = Draft(
            kind=Kind.FACT,
            key=f"{state}.{client}.{index}",
            content=TEXT.format(index),
            sources=(QUOTE,),
        )
        kept.append(
            creation.create(
                draft,
                scope=scope,
                by=BENCH,
                provenance=Provenance.OPERATOR_CURATED,
                now=NOW,
                state=state,
                reason="bench",
            )
        )

    words = Correction(content=TEXT.format("none"), valid_from=NOW, sources=(QUOTE,))
    turns = range(number)
    return {
        # Connections, regular expressions and caches: what a process does once.
        "warm": [lambda: create(number, State.CANDIDATE, [])],
        "create": [lambda i=i: create(i, State.ACTIVE, made) for i in turns],
        "propose": [lambda i=i: create(i, State.CANDIDATE, waiting) for i in turns],
        "activate": [
            lambda i=i: memories.activate(waiting[i].pk, command(scope, 1)) for i in turns
        ],
        "correct": [
            lambda i=i: correction.correct(made[i].pk, command(scope, 1), words) for i in turns
        ],
        "erase": [lambda i=i: erasure.erase(made[i].pk, command(scope, 2)) for i in turns],
    }


def by_bare_sql(scope: Scope, client: int, number: int) -> Steps:
    profile, run = settings.PROFILE, floor.runner(scope.id)
    turns = range(number)
    made = [
        floor.memory(scope, f"active.{client}.{i}", TEXT.format(i), "active", NOW) for i in turns
    ]
    waiting = [
        floor.memory(scope, f"waits.{client}.{i}", TEXT.format(i), "candidate", NOW) for i in turns
    ]
    # In the order of a life, for each step changes the row that the next one repeats.
    first = floor.memory(scope, f"warm.{client}", TEXT.format("first"), "candidate", NOW)
    work = {
        "warm": [floor.create(first, profile)],
        "create": [floor.create(row, profile) for row in made],
        "propose": [floor.create(row, profile) for row in waiting],
        "activate": [floor.activate(row, profile) for row in waiting],
        "correct": [floor.correct(row, TEXT.format("none")) for row in made],
        "erase": [floor.erase(row) for row in made],
    }
    return {
        name: [lambda one=one: run(one) for one in statements] for name, statements in work.items()
    }


def client_process(
    way: str, scope: Scope, client: int, number: int, start: Any, ended: Any
) -> None:
    connections.close_all()
    steps = {"services": by_services, "bare": by_bare_sql}[way](scope, client, number)
    for name, calls in steps.items():
        start.wait()
        began = time.time()
        for call in calls:
            call()
        ended.put((name, began, time.time()))
        start.wait()
    connections.close_all()


def rates(way: str, clients: int, number: int, turn: int) -> dict[str, float]:
    """Return verbs per second: all clients' together, from the first start to the last end."""
    scope = Scope.project("bench", f"{way}-{clients}-{turn}")
    scopes.ensure(scope, now=NOW)
    connections.close_all()
    fork = multiprocessing.get_context("fork")
    start, ended = fork.Barrier(clients), fork.Queue()
    each = max(1, number // clients)
    processes = [
        fork.Process(target=client_process, args=(way, scope, index, each, start, ended))
        for index in range(clients)
    ]
    for process in processes:
        process.start()
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(clients * (len(VERBS) + 2)):
        name, began, end = ended.get(timeout=600)
        times.setdefault(name, []).append((began, end))
    for process in processes:
        process.join()
    return {
        verb: each
        * clients
        / (max(end for _, end in times[verb]) - min(began for began, _ in times[verb]))
        for verb in VERBS
    }


def statements() -> dict[str, int]:
    """Return how many statements each verb sends, set-up of the transaction included."""
    scope = Scope.project("bench", "statements")
    found = {}
    steps = by_services(scope, 0, 2)
    steps.pop("warm")[0]()
    for name, calls in steps.items():
        calls[0]()
        with CaptureQueriesContext(
            connection,
        ) as seen:
            calls[1]()
        found[name] = len(seen)
    return found


def time_apart(calls: int) -> float:
    """Return the largest difference of medians between not yours and not there."""
    pair = pairs.make("time-apart")
    theirs = pairs.fill(pair.theirs, by=pair.by, now=pair.now)
    probes = [*service_probes.probes(), *edge_probes.routes()]
    return max(
        two_scopes.time_apart(probe, pair, theirs, calls=calls)
        for probe in probes
        if probe.name in TIMED
    )


def middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=800, help="verbs of each kind a turn (800)")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--turns", type=int, default=3, help="turns, the median counts (3)")
    parser.add_argument("--calls", type=int, default=500, help="calls for the time apart (500)")
    options = parser.parse_args()
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    figures: dict[str, float] = {f"{name}_statements": n for name, n in statements().items()}
    for clients in options.clients:
        seen: dict[str, list[dict[str, float]]] = {"services": [], "bare": []}
        # By turns, so that a busy moment of the machine weighs on both.
        for turn in range(options.turns):
            for way in seen:
                seen[way].append(rates(way, clients, options.records, turn))
        print(f"\n{clients} clients   services/s   bare SQL/s   bare is faster by")
        for verb in VERBS:
            ours, bare = (middle([rate[verb] for rate in seen[way]]) for way in seen)
            ratio = middle(
                [b[verb] / s[verb] for s, b in zip(seen["services"], seen["bare"], strict=True)]
            )
            figures |= {
                f"{verb}_per_second_{clients}": round(ours, 1),
                f"{verb}_ratio_{clients}": round(ratio, 2),
            }
            print(f"{verb:10} {ours:12.1f} {bare:12.1f}   x {ratio:.2f}")
    figures["time_apart_ms"] = round(time_apart(options.calls), 2)
    print(f"\nnot yours and not there, medians apart: {figures['time_apart_ms']} ms")
    report = {
        "bench": "store",
        "figures": figures,
        "goals": {name: goal for name, goal in GOALS.items() if name in figures},
        "met": all(figures[name] <= goal for name, goal in GOALS.items() if name in figures),
        "versions": {"python": platform.python_version(), "django": django.get_version()},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    print(json.dumps(report))
    connection.creation.destroy_test_db("unused", verbosity=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
