"""How often a host key may call: counted in Redis, per key, told with a time to come back."""

from __future__ import annotations

from unittest.mock import patch

import django_rq
import pytest
import redis
from django.conf import settings
from django.test import override_settings

from memorykit_app.api import rate
from memorykit_app.backends.circuit import Circuit
from memorykit_app.domain.actors import Capability
from tests.acceptance.test_api_records import NEW
from tests.hosting import host

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]


@pytest.fixture(autouse=True)
def fresh_client(monkeypatch):
    rate.forget_clients()
    monkeypatch.setattr(rate, "circuit", Circuit(failures=3, rest_seconds=60))
    yield
    rate.forget_clients()


def limits(**changes):
    return override_settings(MEMORYKIT=settings.MEMORYKIT | {"API": changes})


def away(monkeypatch):
    monkeypatch.setitem(settings.RQ_QUEUES["memorykit"], "PORT", 1)


def test_a_key_that_calls_too_often_is_told_when_to_come_back():
    agent = host(Capability.READ)

    with limits(CALLS_PER_MINUTE=1, BURST=3):
        answers = [agent.get("memories") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["code"] == "too_many_requests"
    assert 55 <= int(answers[3]["Retry-After"]) <= 60


def test_a_bucket_fills_up_again():
    agent = host(Capability.READ)

    with limits(CALLS_PER_MINUTE=60_000, BURST=1):
        answers = [agent.get("memories").status_code for _ in range(5)]

    assert answers == [200] * 5


def test_one_key_does_not_use_up_the_calls_of_another():
    loud, quiet = host(Capability.READ), host(Capability.READ)

    with limits(CALLS_PER_MINUTE=1, BURST=1):
        answers = [loud.get("memories"), loud.get("memories"), quiet.get("memories")]

    assert [answer.status_code for answer in answers] == [200, 429, 200]


def test_nothing_of_a_bucket_outlives_its_filling():
    with limits(CALLS_PER_MINUTE=600, BURST=5):
        host(Capability.READ).get("memories")
    store = django_rq.get_connection("memorykit")

    names = [name for name in store.keys("memorykit:rate:*") if store.pttl(name) > 0]

    assert names
    assert all(store.pttl(name) < 60_000 * 200 for name in names)


@pytest.mark.parametrize(
    ("without_redis", "read", "write"),
    [("reads", 200, 503), ("all", 200, 201), ("nothing", 503, 503)],
)
def test_without_redis_the_setting_decides_what_goes_on(monkeypatch, without_redis, read, write):
    agent = host()
    away(monkeypatch)

    with limits(WITHOUT_REDIS=without_redis):
        answers = [agent.get("memories"), agent.post("memories", NEW)]

    assert [answer.status_code for answer in answers] == [read, write]
    assert all(("Retry-After" in answer) == (answer.status_code == 503) for answer in answers)


def test_a_redis_that_stays_away_is_not_asked_again_and_again(monkeypatch):
    agent = host(Capability.READ)

    with patch.object(rate, "_script", side_effect=redis.ConnectionError) as asked:
        for _ in range(10):
            assert agent.get("memories").status_code == 200

    assert asked.call_count == 3
