"""A rebuild as it runs: its worker is killed again and again while records change."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime

import django_rq
import pytest
from django.test import override_settings

from memorykit_app.models import Embedding, Job, JobState, Memory, Profile, sealed
from memorykit_app.services import correction, drain, erasure, profiles, rebuild, sweep
from memorykit_app.services.correction import Correction
from tests import settings_rebuild
from tests.records import NOW, SCOPE, active, asked
from tests.settings_rebuild import SHADOW
from tests.workers import WorkerProcess, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
RECORDS, KILLS = 60, 4


@pytest.fixture(autouse=True)
def same_settings():
    client = django_rq.get_connection("memorykit")
    with override_settings(MEMORYKIT=settings_rebuild.MEMORYKIT):
        client.flushdb()
        yield
        client.flushdb()


def swept() -> None:
    sweep.sweep(now=datetime.now(UTC))


def whole() -> bool:
    swept()
    stands = rebuild.coverage(SHADOW)
    return Profile.objects.get(pk=SHADOW).state == "standby" and not stands.waiting


def holding() -> bool:
    swept()
    return Job.objects.filter(profile=SHADOW, state=JobState.LEASED.value).exists()


def test_a_build_whose_worker_is_killed_ends_with_every_vector_once(process_environment, tmp_path):
    environment = {**process_environment, "DJANGO_SETTINGS_MODULE": "tests.settings_rebuild"}
    worker = WorkerProcess(environment, tmp_path / "worker.log")
    records = [active(f"Machine {n} hums.", key=f"m.{n}") for n in range(RECORDS)]
    drain.drain()
    rebuild.build(SHADOW)
    chance = random.Random(5)
    hits = 0
    try:
        for kill in range(KILLS):
            worker.start()
            wait_for(holding, every=0.02)
            time.sleep(chance.uniform(0, 0.1))
            worker.kill()
            owners = Job.objects.filter(state=JobState.LEASED.value).values_list("lease_owner")
            hits += any(owner.endswith(f":{pid}") for (owner,) in owners for pid in worker.killed)
            erasure.erase(records[kill].pk, asked(1))
            words = Correction(content=f"Machine {kill} is silent.", valid_from=NOW)
            correction.correct(records[-1 - kill].pk, asked(1), words)
        worker.start()
        wait_for(whole, seconds=60)
    finally:
        worker.kill()

    assert hits >= 1
    with sealed(SCOPE):
        living = Memory.objects.in_scope(SCOPE).filter(state="active")
        expected = sorted(living.values_list("pk", "content_hash"))
        rows = Embedding.objects.in_scope(SCOPE).filter(profile=SHADOW)
        assert sorted(rows.values_list("memory_id", "content_hash")) == expected
    assert len(expected) == RECORDS - KILLS
    assert profiles.switch(SHADOW)
