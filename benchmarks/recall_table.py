"""The tables of bench-recall, and the one JSON object at their end."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import django
from django.conf import settings
from django.db import connection

from benchmarks.recall_scores import Report

GOALS = {
    "locomo_above_best_rival": 0.03,
    "locomo_facts_above_best_rival": 0.02,
    "auroc_foreign": 0.95,
    "queries_below_best_rival_on_any_large_set": 1.0,
    "leaks": 0,
}
_AT_MOST = ("leaks", "queries_below_best_rival_on_any_large_set")
_LARGE = 50


def header(names: Sequence[str]) -> None:
    print(
        f"{'recall@10':42}",
        *(f"{name[:12]:>12}" for name in names),
        " foreign  advers. no answer  leaks",
    )


def line(label: str, found: Report, names: Sequence[str]) -> None:
    print(
        f"{label:42}",
        *(f"{found.recall(name):12.3f}" for name in names),
        f"{_shown(found.auroc_foreign):>8} {_shown(found.auroc_adversarial):>8}"
        f" {found.empty_foreign:9.0%} {found.leaks:6}"
        + (f"  ({found.degraded} answers degraded)" if found.degraded else ""),
        flush=True,
    )


def categories(label: str, own: Report) -> None:
    print(f"\n{label:42} questions recall@5 recall@10 nDCG@10     MRR   hit@10")
    for name, figures in [*own.sets.items(), *own.categories.items()]:
        print(
            f"{name:42} {figures['questions']:9.0f} {figures['recall_5']:8.3f}"
            f" {figures['recall_10']:9.3f} {figures['ndcg_10']:7.3f} {figures['mrr']:7.3f}"
            f" {figures['hit_10']:8.3f}"
        )
    print("AUROC, answerable against foreign or adversarial questions of the same set")
    for name, value in own.auroc_by_set.items():
        print(f"{name:42} {_shown(value):>9}")


def conclude(
    names: Sequence[str],
    own: Report,
    parts: Mapping[str, Report],
    rivals: Mapping[str, Report],
    speed: Mapping[str, float],
) -> None:
    figures = _figures(names, own, parts, rivals)
    met = all(
        figures[name] is not None
        and (figures[name] <= goal if name in _AT_MOST else figures[name] >= goal)
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
        print(f"{name:42} {_shown(figures[name]):>9}   goal {goal}")
    rows = {"own": own, **parts, **rivals}
    print(
        json.dumps(
            {
                "bench": "recall",
                "figures": {
                    **figures,
                    **speed,
                    "rows": {label: _row(row, names) for label, row in rows.items()},
                    "own": asdict(own),
                },
                "goals": GOALS,
                "met": met,
                "versions": _versions(own.policy),
                "machine": {"cpus": os.cpu_count(), "system": platform.platform()},
            }
        )
    )


def _figures(
    names: Sequence[str],
    own: Report,
    parts: Mapping[str, Report],
    rivals: Mapping[str, Report],
) -> dict[str, Any]:
    best = {name: max(rival.recall(name) for rival in rivals.values()) for name in names}
    below = [
        round((best[name] - own.recall(name)) * own.sets[name]["questions"], 2)
        for name in names
        if own.sets.get(name, {}).get("questions", 0) >= _LARGE
    ]
    return {
        "locomo_above_best_rival": _above("locomo", own, best),
        "locomo_facts_above_best_rival": _above("locomo-facts", own, best),
        "auroc_foreign": own.auroc_foreign,
        "queries_below_best_rival_on_any_large_set": max(below, default=0.0),
        "leaks": own.leaks + sum(part.leaks for part in parts.values()),
    }


def _above(name: str, own: Report, best: Mapping[str, float]) -> float | None:
    return round(own.recall(name) - best[name], 4) if name in best else None


def _shown(value: float | None) -> str:
    """Return a figure, or a dash for one that this run did not measure."""
    return "-" if value is None else f"{value:.3f}"


def _row(row: Report, names: Sequence[str]) -> dict[str, Any]:
    return {
        "recall_10": {name: row.recall(name) for name in names},
        "auroc_foreign": row.auroc_foreign,
        "auroc_adversarial": row.auroc_adversarial,
        "empty_foreign": row.empty_foreign,
        "empty_answerable": row.empty_answerable,
        "leaks": row.leaks,
    }


def _versions(policy: str) -> dict[str, str]:
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
        "policy": policy,
    }
