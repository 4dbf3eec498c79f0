"""Embedding: vectors are checked whole, written only for what is still there, one by one."""

from __future__ import annotations

import math

import pytest
from django.core.exceptions import ImproperlyConfigured

from memorykit_app.domain.errors import BackendError
from memorykit_app.models import Embedding, Job, JobKind, Profile, sealed
from memorykit_app.services import (
    correction,
    drain,
    embedding,
    erasure,
    leases,
    memories,
    profiles,
)
from memorykit_app.services.correction import Correction
from tests import doubles
from tests.records import NOW, OTHER, SCOPE, active, asked

pytestmark = pytest.mark.django_db
VECTOR = [0.6, 0.8, 0.0]


def vectors(scope=SCOPE) -> list[Embedding]:
    with sealed(scope):
        return list(Embedding.objects.in_scope(scope).order_by("created_at"))


def same(texts):
    return [VECTOR for _ in texts]


def states() -> dict[str, str]:
    return dict(Job.objects.values_list("state", "failure_code"))


def test_an_active_memory_gets_the_vector_of_its_words():
    with doubles.embedder(same):
        record = active()
        drain.drain()

    (row,) = vectors()
    assert (row.memory_id, row.content_hash, row.dimension) == (
        record.pk,
        record.content_hash,
        3,
    )
    assert [round(float(x), 6) for x in row.vector] == VECTOR
    assert states() == {"completed": ""}


def test_one_drain_serves_many_scopes_in_one_call_to_the_model():
    calls = []

    def count(texts):
        calls.append(len(texts))
        return same(texts)

    with doubles.embedder(count):
        active("One.")
        active("Two.", scope=OTHER)
        drain.drain()

    assert calls == [2]
    assert len(vectors()) == len(vectors(OTHER)) == 1


def test_one_bad_text_does_not_take_its_batch_along():
    def fussy(texts):
        if any("bad" in text for text in texts):
            raise BackendError("embed", recoverable=False)
        return same(texts)

    with doubles.embedder(fussy):
        good = [active(f"Good {n}.", key=f"good.{n}") for n in range(3)]
        active("This is bad.", key="bad.one")
        drain.drain()

    assert {row.memory_id for row in vectors()} == {record.pk for record in good}
    assert states() == {"completed": "", "failed": "embed_failed"}


def test_a_model_that_is_away_is_asked_again_later():
    def away(texts):
        raise BackendError("embed", recoverable=True)

    with doubles.embedder(away):
        active()
        drain.drain()

    assert states() == {"pending": "embed_failed"}
    assert vectors() == []


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [VECTOR, VECTOR],
        [[0.6, 0.8]],
        [[0.0, 0.0, 0.0]],
        [[math.nan, 0.0, 1.0]],
        [[math.inf, 0.0, 1.0]],
    ],
)
def test_a_rubbish_answer_is_not_written(answer):
    with doubles.embedder(lambda texts: answer):
        active()
        drain.drain()

    assert vectors() == []
    assert states() == {"failed": "embed_result_invalid"}


@pytest.mark.parametrize("meanwhile", ["forget", "erase", "correct"])
def test_what_changed_meanwhile_gets_nothing_written(meanwhile):
    record = None

    def change(texts):
        if meanwhile == "forget":
            memories.forget(record.pk, asked(1))
        elif meanwhile == "erase":
            erasure.erase(record.pk, asked(1))
        else:
            words = Correction(content="Other words.", valid_from=NOW)
            correction.correct(record.pk, asked(1), words)
        return same(texts)

    with doubles.embedder(change):
        record = active()
        batch = leases.claim(JobKind.EMBED, limit=5)

        assert embedding.run(batch) == 0
        assert vectors() == []
        if meanwhile == "correct":
            doubles.ScriptedEmbedder.script = staticmethod(same)
            drain.drain()

    assert len(vectors()) == (meanwhile == "correct")


def test_a_correction_drops_the_old_vector_at_once():
    with doubles.embedder(same):
        record = active()
        drain.drain()
        words = Correction(content="Other words.", valid_from=NOW)
        correction.correct(record.pk, asked(1), words)
        assert vectors() == []
        drain.drain()

    assert len(vectors()) == 1


def test_a_profile_keeps_its_dimension():
    with doubles.embedder(same):
        profiles.ensure("scripted-3")
        Profile.objects.create(name="other", dimension=7, created_at=NOW)
    with doubles.embedder(same, profile="other"), pytest.raises(ImproperlyConfigured):
        profiles.ensure("other")
