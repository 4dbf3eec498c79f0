"""Run by `make test-pooler` only: many clients really share few server sessions."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections, transaction

from memorykit_app.domain.scope import Scope
from memorykit_app.models import Memory, sealed
from project.services import places, testing
from project.services.account import server_account
from project.services.pooler import SERVER_CONNECTIONS, Pooler
from tests.integration.test_races import race
from tests.records import active

pytestmark = pytest.mark.django_db(transaction=True)
CLIENTS = 32


def console(command: str) -> list[dict[str, str]]:
    """Ask the pooler itself, which knows the simple protocol only."""
    database = settings.DATABASES["default"]
    with psycopg.connect(
        host=database["HOST"],
        port=os.environ[testing.POOLER_PORT],
        user=database["USER"],
        password=database["PASSWORD"],
        dbname="pgbouncer",
        autocommit=True,
        prepare_threshold=None,
        cursor_factory=psycopg.ClientCursor,
    ) as pooler:
        cursor = pooler.execute(command)
        assert cursor.description is not None
        names = [column.name for column in cursor.description]
        return [dict(zip(names, map(str, row), strict=True)) for row in cursor.fetchall()]


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def test_the_tests_work_through_a_pooler_in_transaction_mode():
    backend()
    name = connection.settings_dict["NAME"]

    [pool] = [pool for pool in console("SHOW POOLS") if pool["database"] == name]

    assert pool["pool_mode"] == "transaction"
    assert int(pool["cl_active"]) >= 1
    assert settings.DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] is True


def test_one_client_meets_another_session_and_leaves_no_scope_in_the_first():
    """A second client holds the first one's session, so the next transaction gets another."""
    active()
    with sealed(Scope.project("acme", "red")):
        first = backend()
    taken, done = threading.Event(), threading.Event()
    holders: list[int] = []

    def hold() -> None:
        with transaction.atomic():
            holders.append(backend())
            taken.set()
            done.wait(30)
        connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert taken.wait(30)
        assert holders == [first] != [backend()]
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM memorykit_memory")
            assert cursor.fetchone()[0] == 0
    finally:
        done.set()
        thread.join()


def test_many_scopes_at_once_over_few_sessions_stay_apart():
    scopes = [Scope.project("acme", f"project-{number}") for number in range(CLIENTS)]
    sessions: set[int] = set()

    def work(scope: Scope) -> None:
        for number in range(4):
            active(f"The office of {scope.subject_id} is number {number}.", scope=scope)
            with sealed(scope):
                sessions.add(backend())
                seen = set(Memory.objects.in_scope(scope).values_list("scope_id", flat=True))
                with connection.cursor() as cursor:
                    cursor.execute("SELECT DISTINCT scope_id FROM memorykit_memory")
                    assert {row[0] for row in cursor.fetchall()} == seen == {scope.id}

    outcomes = race([lambda scope=scope: work(scope) for scope in scopes])

    assert set(outcomes) == {"done"}
    assert 1 < len(sessions) <= SERVER_CONNECTIONS


def test_a_pooler_starts_shares_and_stops():
    folder = Path(tempfile.mkdtemp(dir=places.VARIABLE_TMP))
    folder.chmod(0o711)
    shared = Pooler(folder, server_account(), os.environ["DATABASE_URL"])
    given = urlsplit(os.environ["DATABASE_URL"])

    port = shared.up()
    url = given._replace(netloc=given.netloc.rpartition(":")[0] + f":{port}").geturl()
    with psycopg.connect(url, prepare_threshold=None) as client:
        assert client.execute("SELECT 1").fetchone() == (1,)
    shared.down()
    shared.down()

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)
    shutil.rmtree(folder)
