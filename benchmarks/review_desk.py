"""Measure the review desk on a full table: queries and server time per page and per decision.

`python -m project.services.testing -- python benchmarks/review_desk.py [--records N]`
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings_test")
os.environ["LOG_LEVEL"] = "ERROR"

import django  # noqa: E402

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.models import Group  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.urls import reverse  # noqa: E402
from tqdm import tqdm  # noqa: E402
from uuid6 import uuid7  # noqa: E402

from memorykit_app.domain import identity, terms  # noqa: E402
from memorykit_app.domain.scope import Scope  # noqa: E402
from memorykit_app.domain.states import State, Verb  # noqa: E402
from memorykit_app.models import Memory, ReviewerGrant, Revision, sealed  # noqa: E402
from memorykit_app.services import revisions, scopes  # noqa: E402

GOALS = {
    "queue_queries": 12,
    "queue_p95_ms": 150.0,
    "item_queries": 20,
    "item_p95_ms": 200.0,
}
WORDS = """
the picking plan cold room frost shed crate tractor orchard harvest weather early late row must
never always moved since Monday office Lisbon Porto database PostgreSQL backup deploy review
budget price customer ticket answer language region limit timeout retry queue
""".split()  # noqa: SIM905
FLAGS = ((), (), (), (), (), (), (), ("hedged",), ("outside_text",), ("quote_not_found",))
CHAPTER = 500
_TERMS = """
INSERT INTO memorykit_term (scope_id, term, memory_id, weight)
SELECT %s, row.term, row.memory_id, row.weight
  FROM unnest(%s::text[], %s::uuid[], %s::smallint[]) AS row (term, memory_id, weight)
"""


def records(number: int, candidates: int, chance: random.Random) -> Iterator[tuple[str, State]]:
    """Yield a key and a state for each record of one scope; three in ten candidates replace."""
    for index in range(number - candidates):
        yield f"key.{index}", State.ACTIVE
    for index in range(candidates):
        taken = chance.random() < 0.3
        key = f"key.{chance.randrange(number - candidates)}" if taken else f"new.{index}"
        yield key, State.CANDIDATE


def fill(scope: Scope, number: int, candidates: int, chance: random.Random) -> None:
    now = datetime.now(UTC)
    made = list(records(number, candidates, chance))
    for start in range(0, len(made), CHAPTER):
        with sealed(scope):
            scopes.ensure(scope, now=now)
            rows = [
                _row(scope, key, state, now, chance) for key, state in made[start : start + CHAPTER]
            ]
            Memory.objects.in_scope(scope).bulk_create(rows)
            Revision.objects.in_scope(scope).bulk_create([_first(row, now) for row in rows])
            _index(scope, [row for row in rows if row.state == State.ACTIVE])


def _row(scope: Scope, key: str, state: State, now: datetime, chance: random.Random) -> Memory:
    content = " ".join(chance.choice(WORDS) for _ in range(18)) + f" {chance.randrange(10_000)}."
    made = now - timedelta(minutes=chance.randrange(60 * 24 * 20))
    return Memory(
        id=uuid7(),
        scope_id=scope.id,
        kind="fact",
        key=key,
        content=content,
        content_hash=identity.content_hash(content),
        state=state.value,
        valid_from=made,
        importance=chance.randrange(100),
        confidence=chance.random(),
        provenance="agent_extracted",
        created_by="model:bench",
        flags=list(chance.choice(FLAGS)) if state is State.CANDIDATE else [],
        created_at=made,
        updated_at=made,
    )


def _first(row: Memory, now: datetime) -> Revision:
    return Revision(
        id=uuid7(),
        scope_id=row.scope_id,
        memory_id=row.pk,
        version=1,
        action=Verb.CREATE.value,
        state=row.state,
        actor=row.created_by,
        snapshot=revisions.snapshot(row, ()),
        created_at=now,
    )


def _index(scope: Scope, rows: list[Memory]) -> None:
    found = [
        (term, row.pk, weight)
        for row in rows
        for term, weight in terms.weighted_terms(row.key, row.content).items()
    ]
    if not found:
        return
    names, ids, weights = (list(column) for column in zip(*found, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(_TERMS, [scope.id, names, ids, weights])


def measure(action: Callable[[], Any], times: int) -> list[float]:
    """Return the milliseconds of each run, after three that warm up."""
    took = []
    for turn in range(times + 3):
        began = time.perf_counter()
        action()
        if turn >= 3:
            took.append((time.perf_counter() - began) * 1_000)
    return took


def queries_of(action: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as asked:
        action()
    return len(asked)


def hidden(page: str, name: str) -> str:
    """Return what a hidden field of the decision form holds, as a browser would send it."""
    form = page.split('id="mk-decide"')[1]
    found = re.search(rf'name="{name}" value="([^"]*)"', form)
    assert found is not None
    return found[1]


def listed(page: str) -> list[str]:
    """Return the ids of the candidates on a queue page, in order."""
    return re.findall(r'name="chosen" value="([^:]+):', page)


def p95(values: list[float]) -> float:
    return round(statistics.quantiles(values, n=20)[-1], 1)


def decide_all(client: Client, number: int) -> list[float]:
    """Work through candidates as a reviewer does; return the server's time per decision."""
    took: list[float] = []
    current = listed(client.get(reverse("admin:memorykit_queue")).content.decode())[0]
    for turn in tqdm(range(number), desc="deciding", disable=None):
        began = time.perf_counter()
        page = client.get(reverse("admin:memorykit_item", args=[current])).content.decode()
        fields = {name: hidden(page, name) for name in ("version", "replaces", "next")}
        verb = "dismiss" if turn % 3 == 2 else "activate"
        answer = client.post(
            reverse("admin:memorykit_decide", args=[current, verb]),
            fields | {"reason": "duplicate"},
        )
        assert answer.status_code == 302, answer.status_code
        took.append((time.perf_counter() - began) * 1_000)
        current = fields["next"]
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--candidates", type=int, default=10_000)
    parser.add_argument("--scopes", type=int, default=50)
    parser.add_argument("--times", type=int, default=60)
    options = parser.parse_args()
    connection.creation.create_test_db(verbosity=0)
    chance = random.Random(7)
    projects = [f"project-{number:03}" for number in range(options.scopes)]
    for project in tqdm(projects, desc="filling", disable=None):
        scope = Scope.project("bench", project)
        each = options.records // options.scopes
        fill(scope, each, options.candidates // options.scopes, chance)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    call_command("memorykit_setup_roles", stdout=StringIO())
    user = get_user_model().objects.create_user("bench", password="bench", is_staff=True)
    user.groups.set(Group.objects.filter(name="memorykit lead"))
    ReviewerGrant.objects.create(user=user, tenant_id="bench", subject_id="*")
    client = Client()
    client.force_login(user)
    queue = reverse("admin:memorykit_queue")
    waiting = listed(client.get(queue).content.decode())
    turns = iter(range(10_000))

    def item() -> None:
        client.get(reverse("admin:memorykit_item", args=[waiting[next(turns) % len(waiting)]]))

    queue_ms = measure(lambda: client.get(queue), options.times)
    item_ms = measure(item, options.times)
    search_ms = measure(lambda: client.post(queue, {"q": "Lisbon"}), 10)
    decided_ms = measure(lambda: client.get(queue, {"view": "decided"}), 10)
    decisions = decide_all(client, 100)
    figures = {
        "queue_queries": queries_of(lambda: client.get(queue)),
        "queue_p50_ms": round(statistics.median(queue_ms), 1),
        "queue_p95_ms": p95(queue_ms),
        "item_queries": max(queries_of(item) for _ in waiting),
        "item_p50_ms": round(statistics.median(item_ms), 1),
        "item_p95_ms": p95(item_ms),
        "search_p50_ms": round(statistics.median(search_ms), 1),
        "decided_p50_ms": round(statistics.median(decided_ms), 1),
        "decision_p50_ms": round(statistics.median(decisions), 1),
        "decision_p95_ms": p95(decisions),
    }
    for name, value in figures.items():
        print(f"{name:18} {value:>8}   {f'goal {GOALS[name]}' if name in GOALS else ''}")
    met = all(figures[name] <= goal for name, goal in GOALS.items())
    report = {
        "bench": "review_desk",
        "figures": figures,
        "goals": GOALS,
        "met": met,
        "versions": {"python": platform.python_version(), "django": django.get_version()},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    print(json.dumps(report))
    connection.creation.destroy_test_db("unused", verbosity=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
