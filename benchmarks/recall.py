"""Measure what recall finds, beside its own parts switched off and beside outside rivals.

Every memory of the data is stored and embedded on throw-away servers; every question is asked
in its own scope through the public function, with all scopes loaded at once.
"""

# The servers start with the settings, and the settings before Django.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bench_settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import logging

import django

django.setup()

from django.core.management import call_command
from django.db import connection
from tqdm import tqdm

from benchmarks import recall_data, recall_rivals, recall_table
from benchmarks.recall_ablations import ABLATIONS, policy
from benchmarks.recall_data import BY, Data, Memory, Question
from benchmarks.recall_latency import latency
from benchmarks.recall_scores import Answer, Report, report
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall

OWN, CONTRACT = "balanced-v1", "matched-terms-v1"


def main() -> None:
    options = _options()
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    call_command("migrate", verbosity=0)
    data = recall_data.read(Path(options.data), only=options.set)
    started = time.monotonic()
    stored = recall_data.load(data)
    print(
        f"{len(stored)} memories in {len(data.memories)} scopes, {len(data.questions)} questions;"
        f" stored and embedded in {time.monotonic() - started:.0f} s\n"
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    names = list(dict.fromkeys(question.dataset for question in data.questions))
    recall_table.header(names)
    own = _asked(data, stored, OWN, {})
    recall_table.line(f"memorykit {OWN}", own, names)
    print("-- the same, one thing changed")
    parts = {}
    for name, changes in [] if options.quick else ABLATIONS.items():
        parts[name] = _asked(data, stored, OWN, changes)
        recall_table.line(name, parts[name], names)
    parts[CONTRACT] = _asked(data, stored, CONTRACT, {})
    recall_table.line(f"preset {CONTRACT}", parts[CONTRACT], names)
    print("-- rivals")
    rivals = {}
    for name, system in recall_rivals.Rivals(data).systems().items():
        rivals[name] = report(data.questions, recall_rivals.answers(data.questions, system))
        recall_table.line(name, rivals[name], names)
    recall_table.categories(f"memorykit {OWN}", own)
    some = data.questions[:: max(1, len(data.questions) // options.calls)]
    with policy(OWN, {"DEADLINE_MS": 10_000}):
        speed = latency(some, partial(_recall, data))
    recall_table.conclude(names, own, parts, rivals, speed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("BENCH_DATA", "bench-data"))
    parser.add_argument("--set", action="append", default=[], help="only this data set")
    parser.add_argument("--quick", action="store_true", help="no ablations")
    parser.add_argument("--calls", type=int, default=200, help="questions that are timed")
    return parser.parse_args()


def _asked(
    data: Data, stored: Mapping[UUID, Memory], preset: str, changes: Mapping[str, Any]
) -> Report:
    answers: list[Answer] = []
    leaks = degraded = 0
    # Patient: what is found is measured here, and not how busy the machine is.
    patient = {"ITEMS": 10, "TOKENS": 1_000_000, "DEADLINE_MS": 60_000}
    with policy(preset, patient | dict(changes)):
        for question in tqdm(data.questions, leave=False, disable=None, unit=" questions"):
            result = _recall(data, question)
            items = result.items
            degraded += bool(result.degraded)
            found = [stored[item.memory_id] for item in items]
            leaks += sum(memory.scope != question.scope for memory in found)
            answers.append(
                Answer([memory.id for memory in found], items[0].score if items else 0.0)
            )
    return report(data.questions, answers, leaks=leaks, degraded=degraded, policy=preset)


def _recall(data: Data, question: Question) -> Any:
    # Some questions are dated before the last record of their scope; all records count.
    now = max(question.at, data.memories[question.scope][-1].at)
    return recall(
        RecallQuery(text=question.text), scope=recall_data.scope(question.scope), by=BY, now=now
    )


if __name__ == "__main__":
    sys.exit(main())
