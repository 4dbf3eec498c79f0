"""Races: many at once, one winner, nothing half done. Barriers start them together."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection, connections

from memorykit_app.domain.errors import MemorykitError
from memorykit_app.domain.states import State
from memorykit_app.models import Memory, Revision, Term, sealed
from memorykit_app.services import correction, erasure, memories
from memorykit_app.services.correction import Correction
from tests.records import NOW, SCOPE, active, asked, at, fresh, history, memory

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 64


def race(runs: list[Callable[[], object]]) -> list[str]:
    """Run all at once; return what came of each: `done` or the name of a typed error."""
    start = threading.Barrier(len(runs))
    outcomes: list[str] = [""] * len(runs)

    def one(index: int) -> None:
        start.wait()
        try:
            runs[index]()
            outcomes[index] = "done"
        except MemorykitError as error:
            outcomes[index] = type(error).__name__
        except BaseException as error:
            outcomes[index] = f"unexpected {error!r}"
            raise
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(index,)) for index in range(len(runs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def actives() -> int:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).filter(state=State.ACTIVE.value).count()


def test_racing_writers_of_one_key_leave_one_active_record():
    outcomes = race([lambda n=n: active(f"The office is in city {n}.") for n in range(MANY)])

    assert Counter(outcomes) == {"done": MANY}
    assert actives() == 1
    with sealed(SCOPE):
        assert Memory.objects.in_scope(SCOPE).count() == MANY
        assert Revision.objects.in_scope(SCOPE).count() == 2 * MANY - 1


def test_racing_activations_of_siblings_all_succeed_in_some_order():
    siblings = [memory(f"The office is in city {n}.") for n in range(MANY)]

    outcomes = race([lambda r=r: memories.activate(r.pk, asked(1)) for r in siblings])

    assert Counter(outcomes) == {"done": MANY}
    assert actives() == 1


def test_one_candidate_is_activated_once():
    record = memory()

    outcomes = race([lambda: memories.activate(record.pk, asked(1)) for _ in range(MANY)])

    assert Counter(outcomes) == {"done": 1, "StaleVersion": MANY - 1}
    assert len(history(record)) == 2


def test_identical_creates_make_one_record():
    outcomes = race([lambda: memory(idempotency_key="same") for _ in range(MANY)])

    assert Counter(outcomes) == {"done": MANY}
    with sealed(SCOPE):
        assert Memory.objects.in_scope(SCOPE).count() == 1
        assert Revision.objects.in_scope(SCOPE).count() == 1


def test_corrections_against_erase_leave_no_word():
    record = active()

    def words(n):
        return Correction(content=f"Corrected {n}.", valid_from=NOW)

    outcomes = race(
        [lambda: erasure.erase(record.pk, asked(1, seconds=2))]
        + [
            lambda n=n: correction.correct(record.pk, asked(1, seconds=2), words(n))
            for n in range(MANY - 1)
        ]
    )

    assert Counter(outcomes)["done"] == 1
    assert set(outcomes) <= {"done", "StaleVersion", "TransitionRefused"}
    if outcomes[0] != "done":
        erasure.erase(record.pk, asked(2, seconds=3))
    assert fresh(record).content == ""
    assert all(revision.content_erased for revision in history(record))
    with sealed(SCOPE):
        assert Term.objects.in_scope(SCOPE).count() == 0


def test_creates_and_activations_of_one_key_leave_one_active_record():
    waiting = [memory(f"The office is in city {n}.") for n in range(MANY // 2)]

    outcomes = race(
        [lambda r=r: memories.activate(r.pk, asked(1)) for r in waiting]
        + [lambda n=n: active(f"City {n}.", now=at(1)) for n in range(MANY // 2)]
    )

    assert Counter(outcomes) == {"done": MANY}
    assert actives() == 1
    with sealed(SCOPE):
        changed = Memory.objects.in_scope(SCOPE).values_list("version", flat=True)
        assert Revision.objects.in_scope(SCOPE).count() == sum(changed)


def test_restore_against_create_leaves_one_active_record():
    old = active()
    memories.forget(old.pk, asked(1))

    outcomes = race(
        [lambda: memories.restore(old.pk, asked(2, seconds=2))]
        + [lambda n=n: active(f"City {n}.", now=at(2)) for n in range(MANY - 1)]
    )

    assert set(outcomes) <= {"done", "KeyTaken"}
    assert actives() == 1


def test_no_connection_is_left_open_in_a_transaction():
    race([lambda n=n: active(f"City {n}.") for n in range(8)])

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%%'"
            " AND datname = current_database()"
        )
        assert cursor.fetchone()[0] == 0
