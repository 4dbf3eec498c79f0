"""More calls than a process can serve: it tells them when to come back, and goes on."""

from __future__ import annotations

import threading

import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app.api.admission import admission
from memorykit_app.domain.actors import Capability
from tests.hosting import host

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]


@pytest.fixture
def one_at_a_time():
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"API": {"AT_ONCE": 1, "WAITING": 0}}):
        yield


@pytest.mark.usefixtures("one_at_a_time")
def test_a_call_too_many_is_told_when_to_come_back_and_the_next_one_is_served():
    agent = host(Capability.READ)

    with admission().entered():
        refused = agent.post("recall", {"query": "office"})
    served = agent.post("recall", {"query": "office"})

    assert (refused.status_code, refused.json()["code"]) == (503, "memory_unavailable")
    assert int(refused["Retry-After"]) >= 1
    assert served.status_code == 200


@pytest.mark.usefixtures("one_at_a_time")
def test_a_probe_is_answered_while_no_call_more_is(client):
    entered, leave = threading.Event(), threading.Event()

    def busy() -> None:
        with admission().entered():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=busy)
    thread.start()
    assert entered.wait(10)
    try:
        assert host(Capability.READ).get("memories").status_code == 503
        assert client.get("/healthz").status_code == 200
    finally:
        leave.set()
        thread.join(10)
