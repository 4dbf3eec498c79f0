"""What a rebuild costs over the model alone: 10,000 records through jobs, leases and writes.

`python -m project.services.testing -- python benchmarks/rebuild.py [--records N] [--cost-ms C]`
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from memorykit_app.backends.doubles import HashingEmbedder  # noqa: E402

PROFILE = "bench-fixed-384"
DIMENSION = 384
GOAL = 0.15
_PAGE = 500


class FixedCostEmbedder(HashingEmbedder):
    """Takes the same time over every text and gives vectors that were made before.

    The time is waited for, as for a service or another processor; `spent` sums it as measured.
    """

    batch_size = 32
    spent = 0.0
    calls = 0

    def __init__(self, seconds: float) -> None:
        super().__init__(dimension=DIMENSION)
        self._seconds = seconds
        self._vector = self.embed_query("a record of the bench")

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        start = time.perf_counter()
        time.sleep(self._seconds * len(texts))
        FixedCostEmbedder.spent += time.perf_counter() - start
        FixedCostEmbedder.calls += 1
        return [self._vector for _ in texts]


def measure(records: int = 10_000, cost_ms: float = 5.0) -> dict[str, Any]:
    """Rebuild so many records with one worker's drain and return the figures.

    Needs Django set up on a database of its own; leaves its records there. `overhead` is the
    time beside the embedder's, as a share of the embedder's.
    """
    from django.conf import settings
    from django.db import connection
    from django.test import override_settings

    from memorykit_app.models import Embedding, Profile, sealed
    from memorykit_app.services import bell, drain, rebuild

    parts = {
        "EMBEDDERS": {
            **settings.MEMORYKIT["EMBEDDERS"],
            PROFILE: {
                "BACKEND": f"{FixedCostEmbedder.__module__}.FixedCostEmbedder",
                "OPTIONS": {"seconds": cost_ms / 1_000},
            },
        },
        # One drain does it all: the bell between two is measured elsewhere.
        "JOBS": {**settings.MEMORYKIT.get("JOBS", {}), "DRAIN_SECONDS": 600},
    }
    with override_settings(MEMORYKIT=settings.MEMORYKIT | parts):
        scope = _fill(records)
        from memorykit_app import backends

        embedder = backends.embedder(PROFILE)
        kind: Any = type(embedder)
        kind.spent, kind.calls = 0.0, 0
        statements = 0

        def count(execute: Any, *args: Any) -> Any:
            nonlocal statements
            statements += 1
            return execute(*args)

        with mock.patch.object(bell, "ring", return_value=True), connection.execute_wrapper(count):
            rebuild.build(PROFILE)
            start = time.perf_counter()
            drain.drain()
            seconds = time.perf_counter() - start
        with sealed(scope):
            made = Embedding.objects.in_scope(scope).filter(profile=PROFILE).count()
        assert made == records, f"{made} of {records} vectors"
        assert Profile.objects.get(pk=PROFILE).state == "standby"
    return {
        "records": records,
        "dimension": DIMENSION,
        "cost_ms_each": cost_ms,
        "embedder_seconds": round(kind.spent, 2),
        "seconds": round(seconds, 2),
        "overhead": round(seconds / kind.spent - 1, 4),
        "overhead_us_each": round((seconds - kind.spent) / records * 1e6),
        "calls": kind.calls,
        "statements_each": round(statements / records, 3),
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as lines to read."""
    verdict = "met" if figures["overhead"] <= GOAL else "missed"
    return "\n".join(
        (
            f"Rebuild of {figures['records']:,} records, {figures['dimension']} numbers each",
            f"  the embedder alone      {figures['embedder_seconds']:>8.2f} s"
            f"  ({figures['cost_ms_each']} ms a text, {figures['calls']} calls)",
            f"  the whole rebuild       {figures['seconds']:>8.2f} s",
            f"  overhead                {figures['overhead']:>8.1%}"
            f"    goal at most {GOAL:.0%}: {verdict}",
            f"  beside the embedder     {figures['overhead_us_each']:>8} us a record,"
            f" {figures['statements_each']} statements a record",
        )
    )


def _fill(records: int) -> Any:
    """Store active records without a job each: only the rebuild is measured."""
    from memorykit_app.domain.actors import Principal
    from memorykit_app.domain.drafts import Draft
    from memorykit_app.domain.scope import Scope
    from memorykit_app.domain.states import Kind, Provenance, State
    from memorykit_app.models import sealed
    from memorykit_app.services import creation, embedding_queue

    scope = Scope.project("bench-rebuild", f"p-{time.time_ns()}")
    now = datetime.now(UTC)
    with mock.patch.object(embedding_queue, "enqueue"):
        for start in range(0, records, _PAGE):
            with sealed(scope):
                for number in range(start, min(start + _PAGE, records)):
                    creation.create(
                        Draft(
                            kind=Kind.FACT,
                            key=f"crate.{number}",
                            content=f"Crate {number} stands in row {number % 97} of the cold room.",
                        ),
                        scope=scope,
                        by=Principal.operator("bench"),
                        now=now,
                        provenance=Provenance.OPERATOR_CURATED,
                        state=State.ACTIVE,
                    )
    return scope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--cost-ms", type=float, default=5.0, help="time of one text (5)")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings_test")
    os.environ["LOG_LEVEL"] = "ERROR"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    print(table(measure(given.records, given.cost_ms)))


if __name__ == "__main__":
    main()
