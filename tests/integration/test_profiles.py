"""Changing the model while recall serves: beside each other, switched at once, never mixed."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import override_settings

from memorykit_app.backends.doubles import HashingEmbedder
from memorykit_app.domain.errors import Conflict, MemoryNotFound
from memorykit_app.models import Embedding, Job, JobKind, JobState, Profile, ProfileState, sealed
from memorykit_app.recall.policy import on_serving_profile, policy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall
from memorykit_app.services import (
    correction,
    drain,
    embedding,
    erasure,
    leases,
    memories,
    profiles,
    rebuild,
    rebuild_compare,
    rebuild_drop,
    rebuild_plan,
    sweep,
)
from memorykit_app.services.correction import Correction
from tests.records import NOW, OPERATOR, OTHER, SCOPE, active, asked

pytestmark = pytest.mark.django_db
OLD, NEW, TWIN = "hash-64", "hash-32", "reversed-64"


class ReversedEmbedder(HashingEmbedder):
    """Another model of the same dimension: the same numbers, last first."""

    def embed_query(self, text):
        return super().embed_query(text)[::-1]


@contextmanager
def embedders(*names, **changes):
    hashing = "memorykit_app.backends.doubles.HashingEmbedder"
    known = {
        OLD: {"BACKEND": hashing, "OPTIONS": {"dimension": 64}},
        NEW: {"BACKEND": hashing, "OPTIONS": {"dimension": 32}},
        TWIN: {"BACKEND": f"{__name__}.ReversedEmbedder", "OPTIONS": {"dimension": 64}},
    }
    parts = {"EMBEDDERS": {name: known[name] for name in names}} | changes
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"SERVING_PROFILE": OLD} | parts):
        yield


@pytest.fixture(autouse=True)
def all_embedders():
    with embedders(OLD, NEW, TWIN):
        yield


def stored(scope=SCOPE) -> dict[str, set]:
    with sealed(scope):
        found: dict[str, set] = {}
        for row in Embedding.objects.in_scope(scope):
            found.setdefault(row.profile_id, set()).add((row.memory_id, row.content_hash))
        return found


def texts(*records) -> set:
    return {(record.pk, record.content_hash) for record in records}


def standing(number: int = 3) -> list:
    records = [active(f"Machine {n} is in hall {n}.", key=f"m.{n}") for n in range(number)]
    drain.drain()
    return records


def built(name: str = NEW) -> None:
    rebuild.build(name)
    drain.drain()


def state(name: str) -> str:
    return Profile.objects.get(pk=name).state


def found(text="Machine 1 is in hall 1.", **changes):
    return recall(RecallQuery(text=text), scope=SCOPE, by=OPERATOR, now=NOW, **changes)


def by_vector(result) -> set:
    return {item.memory_id for item in result.items if "vector" in item.ranks}


def test_the_profile_of_the_setting_serves_from_its_first_vector():
    assert (Profile.serving(), profiles.serving()) == (None, OLD)
    standing(1)

    assert Profile.serving() == (OLD, 64)


def test_a_build_fills_the_new_profile_while_the_old_one_serves():
    records = standing()
    other = active("Machine 9 is away.", scope=OTHER)
    rebuild.build(NEW)
    assert (state(NEW), Profile.serving()) == (ProfileState.BUILDING, (OLD, 64))
    drain.drain()

    assert stored() == {OLD: texts(*records), NEW: texts(*records)}
    assert stored(OTHER)[NEW] == texts(other)
    assert (state(NEW), Profile.serving()) == (ProfileState.STANDBY, (OLD, 64))
    assert by_vector(found()) == {record.pk for record in records}


def test_what_is_written_meanwhile_goes_to_both():
    records = standing()
    rebuild.build(NEW)
    records.append(active("A new one.", key="new"))

    assert set(Job.objects.filter(target_id=records[-1].pk).values_list("profile", flat=True)) == {
        OLD,
        NEW,
    }
    drain.drain()
    assert stored()[NEW] == stored()[OLD] == texts(*records)


def test_what_people_write_comes_before_the_rest_of_a_build():
    with embedders(OLD, NEW, JOBS={"CLAIM_BATCH": 1}):
        records = standing(9)
        rebuild.build(NEW)
        rebuild.feed()
        rebuild.feed()

        waiting = Job.objects.filter(state=JobState.PENDING.value, profile=NEW)
        assert waiting.count() == 4
        drain.drain()
        assert stored()[NEW] == texts(*records)


def test_a_build_that_lost_its_worker_goes_on_where_it_was():
    with embedders(OLD, NEW, JOBS={"CLAIM_BATCH": 2}):
        records = standing(20)
        rebuild.build(NEW)
        assert rebuild.feed()
        held = leases.claim(JobKind.EMBED, limit=3)
        assert len(held) == 3
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE memorykit_job SET lease_until = clock_timestamp() - interval '1 s'"
                " WHERE state = 'leased'"
            )
        sweep.sweep(now=NOW)
        drain.drain()

        assert stored()[NEW] == texts(*records)
        assert state(NEW) == ProfileState.STANDBY
        # One job a text: the part that was asked for was not asked for again.
        assert Job.objects.filter(profile=NEW).count() == len(records)


def test_the_sweep_asks_for_the_next_part():
    standing()
    rebuild.build(NEW)
    sweep.sweep(now=NOW, dry_run=True)
    assert not Job.objects.filter(profile=NEW).exists()
    sweep.sweep(now=NOW)

    assert Job.objects.filter(profile=NEW, state=JobState.PENDING.value).count() == 3


def test_building_again_makes_what_was_lost_and_nothing_else():
    records = standing()
    built()
    with sealed(SCOPE):
        Embedding.objects.in_scope(SCOPE).filter(profile=NEW, memory_id=records[1].pk).delete()
    before = Job.objects.count()
    built()

    assert stored()[NEW] == texts(*records)
    assert Job.objects.count() == before + 1


def test_the_serving_profile_is_mended_too():
    records = standing()
    with sealed(SCOPE):
        Embedding.objects.in_scope(SCOPE).delete()
    built(OLD)

    assert stored() == {OLD: texts(*records)}
    assert state(OLD) == ProfileState.SERVING


@pytest.mark.parametrize("meanwhile", ["forget", "erase", "correct"])
def test_nothing_stale_stays_of_what_changes_during_a_build(meanwhile):
    records = standing()
    rebuild.build(NEW)
    rebuild.feed()
    batch = leases.claim(JobKind.EMBED, limit=10)
    before = HashingEmbedder.embed_passages

    def change(self, passages):
        if self.dimension == 32 and not done:
            done.append(True)
            if meanwhile == "forget":
                memories.forget(records[0].pk, asked(1))
            elif meanwhile == "erase":
                erasure.erase(records[0].pk, asked(1))
            else:
                words = Correction(content="Other words.", valid_from=NOW)
                correction.correct(records[0].pk, asked(1), words)
        return before(self, passages)

    done: list[bool] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HashingEmbedder, "embed_passages", change)
        assert embedding.run(batch) == 2
    assert done
    drain.drain()

    with sealed(SCOPE):
        now = {
            (row.pk, row.content_hash)
            for row in type(records[0]).objects.in_scope(SCOPE).filter(state="active")
        }
    assert stored()[NEW] == now
    assert len(now) == (3 if meanwhile == "correct" else 2)


def test_a_switch_is_seen_by_the_next_recall_and_back():
    records = standing()
    built()
    assert profiles.switch(NEW)

    assert on_serving_profile(policy()).profile == NEW
    assert by_vector(found()) == {record.pk for record in records}
    assert not profiles.switch(NEW)
    records.append(active("Written after.", key="after"))
    drain.drain()
    assert profiles.switch(OLD)
    assert stored()[OLD] == stored()[NEW] == texts(*records)
    assert by_vector(found("Written after.")) >= {records[-1].pk}


def test_models_of_one_dimension_are_never_mixed():
    records = standing()
    built(TWIN)
    profiles.switch(TWIN)
    with sealed(SCOPE):
        Embedding.objects.in_scope(SCOPE).filter(profile=TWIN).exclude(
            memory_id=records[1].pk
        ).delete()

    result = found()

    assert by_vector(result) == {records[1].pk}
    assert policy().profile == OLD


def test_a_profile_that_lacks_a_vector_is_not_switched_to():
    records = standing()
    built()
    with sealed(SCOPE):
        Embedding.objects.in_scope(SCOPE).filter(profile=NEW, memory_id=records[1].pk).delete()

    with pytest.raises(Conflict):
        profiles.switch(NEW)
    assert Profile.serving() == (OLD, 64)
    built()
    assert profiles.switch(NEW)


def test_a_profile_that_is_building_or_unknown_is_not_switched_to():
    standing()
    rebuild.build(NEW)

    with pytest.raises(Conflict):
        profiles.switch(NEW)
    with pytest.raises(MemoryNotFound):
        profiles.switch(TWIN)
    with pytest.raises(ImproperlyConfigured):
        profiles.switch("nobody")


def test_a_process_without_the_new_model_recalls_without_vectors():
    standing()
    built()
    profiles.switch(NEW)

    with embedders(OLD):
        result = found()
    assert result.degraded == ("vector",)
    assert result.items
    assert by_vector(result) == set()


def test_a_worker_without_the_new_model_gives_its_jobs_back():
    standing()
    rebuild.build(NEW)
    with embedders(OLD):
        drain.drain()

    assert NEW not in stored()
    assert set(Job.objects.filter(profile=NEW).values_list("state", flat=True)) == {"pending"}


def test_a_drop_takes_the_vectors_and_leaves_the_rest():
    records = standing()
    built()
    profiles.switch(NEW)
    with pytest.raises(Conflict):
        list(rebuild_drop.drop(NEW))

    assert sum(rebuild_drop.drop(OLD)) == 3
    assert list(rebuild_drop.drop(OLD)) == []
    assert stored() == {NEW: texts(*records)}
    assert not Profile.objects.filter(pk=OLD).exists()
    active("Another one.", key="another")
    assert profiles.written() == [NEW]


def test_a_stopped_drop_goes_on_and_the_profile_is_not_built_meanwhile(monkeypatch):
    records = standing()
    built()
    monkeypatch.setattr(rebuild_drop, "_BATCH", 2)
    assert next(rebuild_drop.drop(NEW)) == 2

    with pytest.raises(Conflict):
        rebuild.build(NEW)
    assert profiles.written() == [OLD]
    assert list(rebuild_drop.drop(NEW)) == [1]
    assert stored() == {OLD: texts(*records)}


def test_a_job_of_a_profile_that_is_gone_ends_without_a_vector():
    records = standing()
    rebuild.build(NEW)
    rebuild.feed()
    batch = leases.claim(JobKind.EMBED, limit=10)
    Profile.objects.filter(pk=NEW).update(state="dropping")

    assert embedding.run(batch) == 0
    assert stored() == {OLD: texts(*records)}
    assert set(Job.objects.filter(profile=NEW).values_list("state", "result_count")) == {
        ("completed", 0)
    }


def test_a_plan_counts_and_estimates():
    standing()
    found = rebuild_plan.plan(NEW)

    assert (found.state, found.dimension, found.coverage.missing) == ("absent", 32, 3)
    assert found.tokens > 0
    assert found.bytes > 3 * 32 * 4
    assert found.seconds is not None
    built()
    again = rebuild_plan.plan(NEW)
    assert (again.coverage.missing, again.bytes, again.seconds) == (0, 0, None)


def test_a_comparison_finds_the_same_and_the_different():
    standing(30)
    built()
    questions = rebuild_compare.sampled(None, limit=5)
    assert len(questions) == 5

    same = rebuild_compare.compare(OLD, questions, by=OPERATOR, now=NOW)
    other = rebuild_compare.compare(NEW, questions, by=OPERATOR, now=NOW)
    assert same is not None
    assert other is not None
    assert (same.vector, same.worst) == (1.0, 1.0)
    assert other.vector < 1.0
    assert rebuild_compare.compare(NEW, [], by=OPERATOR, now=NOW) is None


@pytest.mark.django_db(transaction=True)
def test_a_switch_between_writes_and_recalls_loses_no_vector_and_mixes_none():
    records = standing(6)
    built()
    wrong: list[object] = []
    stop = threading.Event()

    def recalling():
        try:
            while not stop.is_set():
                result = found()
                if result.degraded or not by_vector(result) >= {records[1].pk}:
                    wrong.append(result.degraded)
        except Exception as error:  # noqa: BLE001
            wrong.append(error)
        finally:
            connection.close()

    def writing():
        try:
            for number in range(20):
                active(f"Written {number}.", key=f"w.{number}")
                drain.drain()
        except Exception as error:  # noqa: BLE001
            wrong.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=recalling), threading.Thread(target=writing)]
    for thread in threads:
        thread.start()
    switched = 0
    while threads[1].is_alive():
        try:
            switched += profiles.switch(OLD if profiles.serving() == NEW else NEW)
        except Conflict:
            # A write that only one of the two has a vector of so far.
            continue
    stop.set()
    for thread in threads:
        thread.join()
    drain.drain()

    assert wrong == []
    assert switched >= 2
    assert stored()[OLD] == stored()[NEW]
    assert len(stored()[OLD]) == 26
