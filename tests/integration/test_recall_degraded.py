"""Recall when something fails: the rest answers and says so, or it fails closed."""

from __future__ import annotations

import time
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection, transaction

from memorykit_app import sql
from memorykit_app.backends import query_vectors
from memorykit_app.backends.query_vectors import Attempt, Reason
from memorykit_app.domain.errors import (
    BackendError,
    InvalidMemory,
    InvalidRecallResult,
    RecallDependency,
    Unavailable,
)
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import channels
from memorykit_app.services import correction, erasure, memories
from memorykit_app.services.correction import Correction
from tests.recalling import ask, contents, ids, known, policy
from tests.records import NOW, SCOPE, active, asked

LISBON = "The office is in Lisbon."
QUESTION = {"text": "office Lisbon", "keys": ("note.0",)}
DEADLINE_MS = 900


@pytest.fixture(autouse=True)
def patient():
    with policy():
        yield


@contextmanager
def locked(table: str):
    """Hold a lock on a table that makes every reader wait, as a stuck migration does."""
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}) as other:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


def vector_fails(monkeypatch, answer):
    def attempt(text, timeout, profile):
        if isinstance(answer, Exception):
            raise answer
        return Attempt(answer, Reason.FAILED if answer is None else Reason.EMBEDDED)

    monkeypatch.setattr(query_vectors, "attempt", attempt)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("table", "degraded", "left"),
    [
        ("memorykit_embedding", ("vector",), {"exact", "full_text"}),
        ("memorykit_term", ("full_text",), {"exact", "vector"}),
        ("memorykit_embedding, memorykit_term", ("full_text", "vector"), {"exact"}),
    ],
)
def test_a_channel_that_hangs_is_left_out_and_named(table, degraded, left):
    (record,) = known(LISBON)

    with policy(DEADLINE_MS=DEADLINE_MS), locked(table):
        started = time.monotonic()
        found = ask(**QUESTION)
        took = time.monotonic() - started

    assert ids(found) == [record.pk]
    assert set(found.items[0].ranks) == left
    assert found.degraded == degraded
    assert took * 1_000 < DEADLINE_MS + 100


@pytest.mark.django_db(transaction=True)
def test_nothing_is_left_without_a_key_when_both_searches_hang():
    known(LISBON)

    with policy(DEADLINE_MS=DEADLINE_MS), locked("memorykit_embedding, memorykit_term"):
        found = ask("office Lisbon")

    assert (found.items, found.degraded) == ((), ("full_text", "vector"))


@pytest.mark.django_db(transaction=True)
def test_a_store_that_hangs_is_unavailable_within_the_deadline():
    known(LISBON)

    with policy(DEADLINE_MS=DEADLINE_MS), locked("memorykit_memory"):
        started = time.monotonic()
        with pytest.raises(Unavailable) as refusal:
            ask(**QUESTION)
        took = time.monotonic() - started

    assert took * 1_000 < DEADLINE_MS + 100
    assert "Lisbon" not in str(refusal.value) + str(refusal.value.__cause__)


@pytest.mark.django_db(transaction=True)
def test_sources_that_hang_make_the_read_unavailable():
    known(LISBON)

    with policy(DEADLINE_MS=DEADLINE_MS), locked("memorykit_source"), pytest.raises(Unavailable):
        ask(**QUESTION)


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_is_unavailable_and_the_next_question_is_answered(monkeypatch):
    known(LISBON)
    real = channels.Search.ranks

    def cut(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            server = cursor.fetchone()
        with psycopg.connect(
            **connection.get_connection_params() | {"cursor_factory": None}
        ) as other:
            other.execute("SELECT pg_terminate_backend(%s)", server)
        return real(self)

    monkeypatch.setattr(channels.Search, "ranks", cut)
    with pytest.raises(Unavailable):
        ask(**QUESTION)

    monkeypatch.setattr(channels.Search, "ranks", real)
    connection.close()
    assert contents(ask(**QUESTION)) == [LISBON]


@pytest.mark.django_db
@pytest.mark.parametrize("answer", [None, BackendError("embed", recoverable=True)])
def test_without_a_vector_the_words_answer(monkeypatch, answer):
    (record,) = known(LISBON)
    vector_fails(monkeypatch, answer)

    found = ask(**QUESTION)

    assert ids(found) == [record.pk]
    assert found.degraded == ("vector",)
    assert "vector" not in found.items[0].ranks


@pytest.mark.django_db
def test_a_broken_embedder_fails_closed(monkeypatch):
    vector_fails(monkeypatch, BackendError("embed", recoverable=False))

    with pytest.raises(RecallDependency):
        ask("office")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "answer", [[0.0] * 64, [1.0], [float("nan")] + [0.0] * 63, [float("inf")] + [0.0] * 63]
)
def test_a_vector_of_the_wrong_shape_is_refused(monkeypatch, answer):
    vector_fails(monkeypatch, answer)

    with pytest.raises(InvalidMemory) as refusal:
        ask("office")

    assert refusal.value.field == "vector"


@pytest.mark.django_db
def test_no_vector_is_asked_for_without_words_or_without_the_channel(monkeypatch):
    (record,) = known(LISBON)
    vector_fails(monkeypatch, AssertionError("asked"))

    assert ids(ask(keys=("note.0",))) == [record.pk]
    with policy(VECTOR_LIMIT=0):
        found = ask("Lisbon")

    assert (ids(found), found.degraded) == ([record.pk], ())


@pytest.mark.django_db
def test_a_failed_statement_is_a_defect_and_shows_nothing(monkeypatch):
    known(LISBON)
    queries = dict(sql.load("recall")) | {"bm25": "(SELECT 'Lisbon' / %(terms)s)"}
    monkeypatch.setattr(sql, "load", lambda _: queries)

    with pytest.raises(RecallDependency) as refusal:
        ask("office Lisbon")

    assert "isbon" not in str(refusal.value)
    assert refusal.value.__suppress_context__


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["forget", "erase", "correct"])
def test_what_changes_between_the_ranks_and_the_read_is_not_shown(monkeypatch, change):
    (record, other) = known(LISBON, "The Lisbon office has a lift.")
    real = channels.Search.ranks

    def ranks(self):
        found = real(self)
        if change == "forget":
            memories.forget(record.pk, asked(1))
        elif change == "erase":
            erasure.erase(record.pk, asked(1))
        else:
            correction.correct(record.pk, asked(1), new_words())
        return found

    monkeypatch.setattr(channels.Search, "ranks", ranks)
    found = ask("office Lisbon", explain=True)

    assert ids(found) == [other.pk]
    assert LISBON not in repr(found)


def new_words() -> Correction:
    return Correction(
        content="The office is in Porto.",
        valid_from=NOW,
        valid_until=None,
        importance=0,
        confidence=0.0,
        sources=(),
    )


def spoil(row, change):
    return (*row[: change[0]], change[1], *row[change[0] + 1 :])


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        (5, 1),  # a rank of a channel that was not asked
        (6, 0),
        (7, 1_000),
        (9, float("nan")),
        (9, -1.0),
        (10, float("nan")),
        (10, 1.5),
        (11, float("inf")),
    ],
)
def test_ranks_that_break_a_rule_fail_closed(monkeypatch, change):
    known(LISBON)
    real = channels.Search._execute

    def execute(self, statement, limit_ms, **params):
        rows = real(self, statement, limit_ms, **params)
        # One vector alone has no spread: give it one.
        return rows if params else [spoil(spoil(row, change), (16, 0.1)) for row in rows]

    monkeypatch.setattr(channels.Search, "_execute", execute)

    with pytest.raises(InvalidRecallResult):
        ask("office Lisbon")


@pytest.mark.django_db
def test_a_record_twice_in_one_channel_fails_closed(monkeypatch):
    known(LISBON)
    real = channels.Search._execute
    monkeypatch.setattr(
        channels.Search, "_execute", lambda *args, **params: real(*args, **params) * 2
    )

    with pytest.raises(InvalidRecallResult):
        ask("office Lisbon")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        (2, "rumour"),
        (3, " "),
        (4, ""),
        (5, 101),
        (6, float("nan")),
        (8, NOW),
        (9, "hearsay"),
        (11, [""]),
    ],
)
def test_rows_that_break_a_rule_fail_closed(monkeypatch, change):
    known(LISBON)
    real = channels.Search.read
    monkeypatch.setattr(
        channels.Search, "read", lambda self, ids: [spoil(row, change) for row in real(self, ids)]
    )

    with pytest.raises(InvalidRecallResult):
        ask("office Lisbon")


@pytest.mark.django_db
def test_a_negative_token_count_fails_closed(monkeypatch):
    known(LISBON)
    monkeypatch.setattr("memorykit_app.backends.tokens.EstimatingTokenCounter.count", lambda *_: -1)

    with pytest.raises(InvalidRecallResult):
        ask("office Lisbon")


@pytest.mark.django_db
def test_a_surrounding_transaction_keeps_its_time_limit_and_goes_on():
    active(LISBON)

    with transaction.atomic(), sealed(SCOPE), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '7s'")
        assert contents(ask("Lisbon")) == [LISBON]
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("7s",)
        assert Memory.objects.in_scope(SCOPE).count() == 1


@pytest.mark.django_db
def test_the_time_left_is_the_limit_of_each_statement(monkeypatch):
    active(LISBON)
    seen = []
    real = channels.Search._execute

    def execute(self, statement, limit_ms, **params):
        seen.append(limit_ms)
        return real(self, statement, limit_ms, **params)

    monkeypatch.setattr(channels.Search, "_execute", execute)
    with policy(DEADLINE_MS=2_000):
        ask("Lisbon")

    assert len(seen) == 2
    assert 600 < seen[0] <= 1_200
    assert seen[1] <= 2_000
