"""What every test may use; the servers themselves start with project.settings_test."""

from __future__ import annotations

import os
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings

from project.services import testing


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    # Migrations take TRUNCATE from the tables' owner; the flush between transactional tests
    # needs it, in the test database only.
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO CURRENT_USER")
        # Migrations connect directly, for their lock belongs to a session; all else may share one.
        if port := os.environ.get(testing.POOLER_PORT):
            connection.close()
            connection.settings_dict["PORT"] = settings.DATABASES["default"]["PORT"] = port


@pytest.fixture
def records_clock():
    """Make the clock of entry points stand at the time of `tests.records`."""
    clock = {"CLOCK": {"BACKEND": "tests.doubles.RecordsClock"}}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | clock):
        yield


@pytest.fixture
def process_environment(db):
    """The environment for a process that works on the current test database."""
    database = settings.DATABASES["default"]
    user = f"{quote(database['USER'])}:{quote(database['PASSWORD'])}"
    host = f"{database['HOST']}:{database['PORT']}"
    given = urlsplit(os.environ["DATABASE_URL"])
    name = connection.settings_dict["NAME"]
    return {
        **os.environ,
        "DATABASE_URL": f"{given.scheme}://{user}@{host}/{name}",
        "REDIS_URL": settings.REDIS_URL,
        "DJANGO_SETTINGS_MODULE": "project.settings_test",
    }
