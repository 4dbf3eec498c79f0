"""What the project adds to every answer: probes, the policy, no queue pages."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.db import connections

from project.services.errors import ServiceError
from project.stopped_database.base import DatabaseWrapper

NOWHERE = {"HOST": "127.0.0.1", "PORT": 1}


def test_the_process_lives_without_servers(client):
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}


@pytest.mark.django_db
def test_a_process_with_servers_is_ready(client):
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "database": "ok", "redis": "ok"}


@pytest.mark.django_db
def test_a_process_without_redis_is_degraded(client, monkeypatch):
    monkeypatch.setitem(settings.RQ_QUEUES["memorykit"], "PORT", 1)

    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "degraded", "database": "ok", "redis": "down"}


@pytest.mark.django_db(transaction=True)
def test_a_process_without_database_is_down(client, monkeypatch):
    connection = connections["default"]
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PORT", 1)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["database"] == "down"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/admin/login/", "/nothing-here"])
def test_every_answer_carries_the_policy(client, path):
    policy = client.get(path)["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_probes_take_no_writes(client):
    assert client.post("/healthz").status_code == 405


def test_the_front_page_leads_to_the_desk(client):
    answer = client.get("/")

    assert answer.status_code == 302
    assert answer["Location"] == "/admin/"


def test_the_queue_has_no_pages_in_the_admin():
    queue_models = set(apps.get_app_config("django_rq").get_models())

    assert not queue_models & set(admin.site._registry)


def test_a_database_that_was_never_started_is_said():
    wrapper = DatabaseWrapper({**settings.DATABASES["default"], "OPTIONS": {}}, "stopped")

    with pytest.raises(ServiceError, match="make run"):
        wrapper.connect()
