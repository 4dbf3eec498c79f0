"""Vectors of questions: kept, made in time, and left out when the part is ill."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading

import environ
import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app import backends
from memorykit_app.backends import query_vectors
from memorykit_app.backends.base import Embedder
from memorykit_app.backends.circuit import Circuit, CircuitState
from memorykit_app.backends.local import LocalEmbedder
from memorykit_app.backends.query_vectors import Attempt, QueryVectors, Reason, TimedVectors
from memorykit_app.domain.errors import BackendError
from project.memory import LOCAL_PROFILE, memory_settings
from tests import doubles

TEXT = "where is the office"
VECTOR = [0.6, 0.8, 0.0]
LONG = 5.0
SHORT = 0.02
REMOTE = {
    "MEMORYKIT_EMBEDDER_URL": "http://127.0.0.1:1/v1",
    "MEMORYKIT_EMBEDDER_MODEL": "small",
    "MEMORYKIT_EMBEDDER_DIMENSION": "256",
    "MEMORYKIT_EXTRACTOR_URL": "http://127.0.0.1:1/v1",
    "MEMORYKIT_EXTRACTOR_MODEL": "large",
}


class Counting(Embedder):
    """Answers what it is told and counts the questions; waits for `gate` when it has one."""

    dimension = 3

    def __init__(self, answer=VECTOR, gate=None):
        self.answer = answer
        self.gate = gate
        self.asked = []

    def embed_passages(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        self.asked.append(text)
        if self.gate:
            assert self.gate.wait(LONG)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def timed():
    made = []

    def make(embedder, **circuit):
        made.append(TimedVectors(QueryVectors(embedder), Circuit(**circuit)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_question_asked_again_is_not_embedded_again():
    embedder = Counting()
    vectors = QueryVectors(embedder, 2)

    found = [vectors.vector(TEXT), vectors.vector(TEXT), vectors.cached(TEXT)]

    assert found == [VECTOR] * 3
    assert embedder.asked == [TEXT]


def test_what_a_caller_does_to_its_vector_stays_with_the_caller():
    vectors = QueryVectors(Counting())
    vectors.vector(TEXT)

    vectors.vector(TEXT).clear()

    assert vectors.vector(TEXT) == VECTOR


def test_the_question_used_longest_ago_leaves_first():
    embedder = Counting()
    vectors = QueryVectors(embedder, 2)

    for text in ("a", "b", "a", "c", "a", "b"):
        vectors.vector(text)

    assert embedder.asked == ["a", "b", "c", "b"]
    assert len(vectors) == 2


def test_a_size_of_nothing_keeps_nothing():
    embedder = Counting()
    vectors = QueryVectors(embedder, 0)

    vectors.vector(TEXT)
    vectors.vector(TEXT)

    assert len(embedder.asked) == 2


@pytest.mark.parametrize("wrong", [[1.0], [0.0, 0.0, 0.0], [float("nan"), 1.0, 0.0]])
def test_a_vector_that_is_not_sound_is_not_kept(wrong):
    vectors = QueryVectors(Counting(wrong))

    vectors.vector(TEXT)

    assert vectors.cached(TEXT) is None


def test_no_question_stands_in_memory_in_words_and_each_process_marks_differently():
    one, other = QueryVectors(Counting()), QueryVectors(Counting())

    one.vector(TEXT)
    other.vector(TEXT)

    assert TEXT.encode() not in b"".join(one._kept)
    assert set(one._kept).isdisjoint(other._kept)


def test_half_a_surrogate_pair_is_a_question_as_any_other():
    assert QueryVectors(Counting()).vector("\ud800") == VECTOR


def test_the_first_attempt_embeds_and_the_second_remembers(timed):
    desk = timed(Counting())

    found = [desk.attempt(TEXT, LONG), desk.attempt(TEXT, LONG)]

    assert found == [Attempt(VECTOR, Reason.EMBEDDED), Attempt(VECTOR, Reason.CACHED)]


def test_a_late_vector_is_not_waited_for_but_kept(timed):
    gate = threading.Event()
    desk = timed(Counting(gate=gate))

    late = desk.attempt(TEXT, SHORT)
    gate.set()
    desk.attempt("another, made in the same thread after it", LONG)

    assert late == Attempt(None, Reason.TIMEOUT)
    assert desk.attempt(TEXT, 0) == Attempt(VECTOR, Reason.CACHED)


def test_a_question_that_never_came_to_its_turn_is_not_made(timed):
    gate = threading.Event()
    embedder = Counting(gate=gate)
    desk = timed(embedder)
    desk.attempt("in the way", SHORT)

    found = desk.attempt(TEXT, SHORT)
    gate.set()
    desk.attempt("after it", LONG)

    assert found.reason is Reason.TIMEOUT
    assert embedder.asked == ["in the way", "after it"]


def test_without_time_nothing_is_asked_and_nothing_counted(timed):
    embedder = Counting()
    desk = timed(embedder, failures=1)

    assert desk.attempt(TEXT, 0) == Attempt(None, Reason.TIMEOUT)
    assert embedder.asked == []
    assert desk.circuit.state is CircuitState.CLOSED


def test_an_embedder_that_fails_rests_and_what_is_kept_is_still_answered(timed):
    embedder = Counting()
    desk = timed(embedder, failures=2)
    desk.attempt(TEXT, LONG)
    embedder.answer = BackendError("embed", recoverable=True)

    reasons = [desk.attempt(f"question {number}", LONG).reason for number in range(3)]

    assert reasons == [Reason.FAILED, Reason.FAILED, Reason.CIRCUIT_OPEN]
    assert desk.attempt(TEXT, LONG) == Attempt(VECTOR, Reason.CACHED)


def test_an_embedder_that_hangs_is_soon_not_asked(timed):
    gate = threading.Event()
    desk = timed(Counting(gate=gate), failures=2)

    reasons = [desk.attempt(f"question {number}", SHORT).reason for number in range(3)]
    gate.set()

    assert reasons == [Reason.TIMEOUT, Reason.TIMEOUT, Reason.CIRCUIT_OPEN]


def test_a_rested_embedder_that_is_well_again_is_asked_again(timed):
    clock = [0.0]
    embedder = Counting(BackendError("embed", recoverable=True))
    desk = timed(embedder, failures=1, rest_seconds=1.0, clock=lambda: clock[0])
    desk.attempt(TEXT, LONG)
    embedder.answer = VECTOR

    shut = desk.attempt(TEXT, LONG).reason
    clock[0] = 1.0

    assert shut is Reason.CIRCUIT_OPEN
    assert desk.attempt(TEXT, LONG).reason is Reason.EMBEDDED
    assert desk.circuit.state is CircuitState.CLOSED


def test_a_broken_part_is_an_error_and_never_a_rest(timed):
    desk = timed(Counting(BackendError("embed", recoverable=False)), failures=1)

    for _ in range(3):
        with pytest.raises(BackendError) as raised:
            desk.attempt(TEXT, LONG)
        assert not raised.value.recoverable
    assert desk.circuit.state is CircuitState.CLOSED


def test_a_foreign_error_becomes_ours_without_its_words(timed, caplog):
    desk = timed(Counting(RuntimeError(TEXT)))

    with caplog.at_level(logging.ERROR), pytest.raises(BackendError) as raised:
        desk.attempt(TEXT, LONG)

    assert raised.value.__cause__ is None
    assert TEXT not in str(raised.value) + caplog.text
    assert "RuntimeError" in caplog.text


def test_where_no_thread_is_to_be_had_there_is_no_vector(timed):
    desk = timed(Counting())
    desk.close()

    assert desk.attempt(TEXT, LONG) == Attempt(None, Reason.FAILED)


def test_a_process_has_one_for_its_serving_embedder():
    with doubles.embedder(lambda texts: [VECTOR for _ in texts]):
        first = query_vectors.serving()

        assert query_vectors.serving() is first
        assert query_vectors.try_vector(TEXT, LONG) == VECTOR
        assert query_vectors.attempt(TEXT, LONG).reason is Reason.CACHED


def test_another_embedder_starts_with_nothing_kept():
    with doubles.embedder(lambda texts: [VECTOR for _ in texts]):
        query_vectors.try_vector(TEXT, LONG)
        first = query_vectors.serving()
    with doubles.embedder(lambda texts: [VECTOR[::-1] for _ in texts]):
        assert query_vectors.try_vector(TEXT, LONG) == VECTOR[::-1]
        assert query_vectors.serving() is not first


def test_profiles_stand_side_by_side():
    hashing = {
        "BACKEND": "memorykit_app.backends.doubles.HashingEmbedder",
        "OPTIONS": {"dimension": 8},
    }
    parts = {"EMBEDDERS": {"eight": hashing, "also": hashing}, "SERVING_PROFILE": "eight"}

    with override_settings(MEMORYKIT=settings.MEMORYKIT | parts):
        assert query_vectors.serving() is not query_vectors.serving("also")
        assert query_vectors.attempt(TEXT, LONG, "also").reason is Reason.EMBEDDED


FORKS = """
import os, django
django.setup()
from memorykit_app import backends
from memorykit_app.backends import query_vectors
before = query_vectors.try_vector("asked before", 5.0)
query_vectors._lock.acquire()
child = os.fork()
if child == 0:
    found = query_vectors.attempt("asked before", 5.0)
    # Not the parent's: its thread is not here.
    os._exit(0 if found.vector == before and found.reason == "embedded" else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_asks_with_a_thread_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", FORKS],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.unit.backends.small_settings"},
        timeout=60,
    )

    assert done.returncode == 0


def test_the_parts_that_the_project_names_can_be_built(monkeypatch):
    for name, value in REMOTE.items():
        monkeypatch.setenv(name, value)
    parts = memory_settings(environ.Env(), {"fingerprint_key": "k" * 32})

    with override_settings(MEMORYKIT=parts):
        assert backends.embedder().dimension == 256
        assert backends.embedder(LOCAL_PROFILE).dimension == LocalEmbedder.dimension
        assert backends.extractor().id == "chat-v1-large"
        found = query_vectors.attempt(TEXT, LONG, LOCAL_PROFILE)

    assert found.reason is Reason.EMBEDDED
    assert len(found.vector) == LocalEmbedder.dimension
