"""Measure what recall finds, beside its own parts switched off and beside outside rivals.

Every memory of the data is stored and embedded on throw-away servers; every question is asked
in its own scope through the public function, with all scopes loaded at once.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.bench_settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import logging

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from tqdm import tqdm

from benchmarks import recall_data, recall_rivals
from benchmarks.cached_embedder import CachedEmbedder
from benchmarks.recall_data import BY, Data, Memory, Question
from benchmarks.recall_scores import Answer, Report, report
from memorykit_app.backends import query_vectors
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall

OWN = "balanced-v1"
# What is switched off, or put differently, in each line below the product's own.
ABLATIONS: dict[str, dict[str, Any]] = {
    "full text alone": {"VECTOR_LIMIT": 0},
    "vector alone": {"FULL_TEXT_LIMIT": 0},
    "channels without context: full text": {"VECTOR_LIMIT": 0, "_context": 0},
    "channels without context: vector": {"FULL_TEXT_LIMIT": 0, "_context": 0},
    "matched terms for bm25": {"FULL_TEXT_RULE": "matched_terms"},
    "RRF k=10 for scores": {"FUSION": "rrf", "RRF_K": 10.0, "CALIBRATION": "none", "_context": 0},
    "RRF k=60 for scores": {"FUSION": "rrf", "RRF_K": 60.0, "CALIBRATION": "none", "_context": 0},
    "without neighbours": {"_context": 0},
    "without the answer's share": {"ANSWER_WEIGHT": 0.0},
    "without centring": {"CENTRE": 0.0},
    "a sample of 64": {"SAMPLE": 64},
    "without dates": {"DATE_WEIGHT": 0.0},
    "without stems": {"STEMS": False},
    "question words kept": {"TELLING_ONLY": False},
    "without folding": {"FOLD": 0.0},
    "full text weighs 0.4": {"FULL_TEXT_WEIGHT": 0.4, "VECTOR_WEIGHT": 0.6},
    "full text weighs 0.6": {"FULL_TEXT_WEIGHT": 0.6, "VECTOR_WEIGHT": 0.4},
    "floor 0.5": {"FLOOR": 0.5},
}
_CONTEXT = {"BEFORE_WEIGHT": 0.0, "AFTER_WEIGHT": 0.0, "ANSWER_WEIGHT": 0.0}
GOALS = {
    "locomo_above_best_rival": 0.03,
    "locomo_facts_above_best_rival": 0.02,
    "auroc_foreign": 0.95,
    "queries_below_best_rival_on_any_large_set": 1.0,
    "leaks": 0,
}


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
    _header(names)
    own = _asked(data, stored, OWN, {})
    _line(f"memorykit {OWN}", own, names)
    print("-- the same, one thing changed")
    parts = {}
    for name, changes in [] if options.quick else ABLATIONS.items():
        parts[name] = _asked(data, stored, OWN, changes)
        _line(name, parts[name], names)
    parts["matched-terms-v1"] = _asked(data, stored, "matched-terms-v1", {})
    _line("preset matched-terms-v1", parts["matched-terms-v1"], names)
    print("-- rivals")
    rivals = {}
    for name, system in recall_rivals.Rivals(data).systems().items():
        rivals[name] = report(data.questions, recall_rivals.answers(data.questions, system))
        _line(name, rivals[name], names)
    _categories(own)
    speed = _speed(data, own_calls=options.calls)
    _conclude(names, own, parts, rivals, speed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("BENCH_DATA", "bench-data"))
    parser.add_argument("--set", action="append", default=[], help="only this data set")
    parser.add_argument("--quick", action="store_true", help="no ablations")
    parser.add_argument("--calls", type=int, default=200, help="questions timed with embedding")
    return parser.parse_args()


@contextmanager
def _policy(preset: str, changes: Mapping[str, Any]) -> Iterator[None]:
    fields = {name: value for name, value in changes.items() if not name.startswith("_")}
    if "_context" in changes:
        fields |= _CONTEXT
    if fields:
        fields["VERSION"] = "bench-1"
    with override_settings(
        MEMORYKIT=settings.MEMORYKIT | {"RECALL_POLICY": {"PRESET": preset, **fields}}
    ):
        yield


def _asked(
    data: Data, stored: Mapping[UUID, Memory], preset: str, changes: Mapping[str, Any]
) -> Report:
    answers: list[Answer] = []
    leaks = 0
    with _policy(preset, {"ITEMS": 10, "TOKENS": 1_000_000, **changes}):
        for question in tqdm(data.questions, leave=False, disable=None, unit=" questions"):
            items = _recall(data, question).items
            found = [stored[item.memory_id] for item in items]
            leaks += sum(memory.scope != question.scope for memory in found)
            answers.append(
                Answer([memory.id for memory in found], items[0].score if items else 0.0)
            )
    return report(data.questions, answers, leaks=leaks)


def _recall(data: Data, question: Question) -> Any:
    # Some questions are dated before the last record of their scope; all records count.
    now = max(question.at, data.memories[question.scope][-1].at)
    return recall(
        RecallQuery(text=question.text), scope=recall_data.scope(question.scope), by=BY, now=now
    )


def _speed(data: Data, *, own_calls: int) -> dict[str, float]:
    """Return milliseconds of one recall at a time, with and without the embedding."""
    step = max(1, len(data.questions) // own_calls)
    some = data.questions[::step]
    times: dict[str, list[float]] = {"with": [], "without": []}
    with _policy(OWN, {"DEADLINE_MS": 10_000}):
        for name, live in (("without", False), ("with", True)):
            CachedEmbedder.live = live
            for question in some if live else [*some, *some]:
                if live:
                    _forget_vectors()
                started = time.perf_counter()
                _recall(data, question)
                times[name].append((time.perf_counter() - started) * 1_000)
    CachedEmbedder.live = False
    figures = {}
    for name, values in times.items():
        values = values[len(some) :] if name == "without" else values
        cuts = statistics.quantiles(values, n=100)
        figures[f"p50_ms_{name}_embedding"] = round(cuts[49], 2)
        figures[f"p95_ms_{name}_embedding"] = round(cuts[94], 2)
    return figures


def _forget_vectors() -> None:
    query_vectors.serving(settings.MEMORYKIT["SERVING_PROFILE"]).vectors._kept.clear()


def _header(names: Sequence[str]) -> None:
    print(f"{'recall@10':42}", *(f"{name[:12]:>12}" for name in names), " foreign  advers.  leaks")


def _line(label: str, found: Report, names: Sequence[str]) -> None:
    print(
        f"{label:42}",
        *(f"{found.recall(name):12.3f}" for name in names),
        f"{found.auroc_foreign:8.3f} {found.auroc_adversarial:8.3f} {found.leaks:6}",
        flush=True,
    )


def _categories(own: Report) -> None:
    print(f"\n{'memorykit ' + OWN:42} questions recall@5 recall@10 nDCG@10     MRR")
    for name, figures in [*own.sets.items(), *own.categories.items()]:
        print(
            f"{name:42} {figures['questions']:9.0f} {figures['recall_5']:8.3f}"
            f" {figures['recall_10']:9.3f} {figures['ndcg_10']:7.3f} {figures['mrr']:7.3f}"
        )


def _conclude(
    names: Sequence[str],
    own: Report,
    parts: Mapping[str, Report],
    rivals: Mapping[str, Report],
    speed: Mapping[str, float],
) -> None:
    best = {name: max(rival.recall(name) for rival in rivals.values()) for name in names}
    below = {
        name: round((best[name] - own.recall(name)) * own.sets[name]["questions"], 2)
        for name in names
        if own.sets.get(name, {}).get("questions", 0) >= 50
    }
    figures: dict[str, Any] = {
        "locomo_above_best_rival": round(own.recall("locomo") - best.get("locomo", 0), 4),
        "locomo_facts_above_best_rival": round(
            own.recall("locomo-facts") - best.get("locomo-facts", 0), 4
        ),
        "auroc_foreign": own.auroc_foreign,
        "queries_below_best_rival_on_any_large_set": max(below.values(), default=0.0),
        "leaks": own.leaks + sum(part.leaks for part in parts.values()),
    }
    met = all(
        figures[name] <= goal
        if name in ("leaks", "queries_below_best_rival_on_any_large_set")
        else figures[name] >= goal
        for name, goal in GOALS.items()
    )
    print()
    for name, value in speed.items():
        print(f"{name:42} {value:9.2f}")
    if floor := parts.get("floor 0.5"):
        print(
            f"floor 0.5: {floor.empty_foreign:.0%} of foreign and {floor.empty_answerable:.1%} of"
            " answerable questions get nothing"
        )
    for name, goal in GOALS.items():
        print(f"{name:42} {figures[name]:9.3f}   goal {goal}")
    rows = {"own": own, **parts, **rivals}
    print(
        json.dumps(
            {
                "bench": "recall",
                "figures": {
                    **figures,
                    **speed,
                    "recall_10": {
                        label: {name: row.recall(name) for name in names}
                        for label, row in rows.items()
                    },
                    "sets": own.sets,
                    "auroc_adversarial": own.auroc_adversarial,
                },
                "goals": GOALS,
                "met": met,
                "versions": _versions(),
                "machine": {"cpus": os.cpu_count(), "system": platform.platform()},
            }
        )
    )


def _versions() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
        server, vector = cursor.fetchone()
    return {
        "python": platform.python_version(),
        "django": django.get_version(),
        "postgresql": server,
        "pgvector": vector,
        "embedder": settings.MEMORYKIT["SERVING_PROFILE"],
        "policy": OWN,
    }


if __name__ == "__main__":
    sys.exit(main())
