"""The doctor: every fault an operator answers for is found, named, and given a next step."""

from __future__ import annotations

import django_rq
import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from rq import Worker
from uuid6 import uuid7

from memorykit_app.models import FailureCode, JobKind, ScopeRecord, sealed
from memorykit_app.services import diagnosis, drain, jobs, leases, scopes, seals, server
from memorykit_app.services.diagnosis import Level
from memorykit_app.services.server import Server
from tests.commands import answer, refusal, said
from tests.records import NOW, SCOPE, active, memory

pytestmark = pytest.mark.django_db
SOUND = Server(
    version=160004, vector="0.8.2", vector_available="0.8.2", superuser=False, exempt=False
)


@pytest.fixture(autouse=True)
def redis():
    client = django_rq.get_connection("memorykit")
    client.flushdb()
    yield client
    client.flushdb()


@pytest.fixture
def worker(redis):
    queue = django_rq.get_queue("memorykit")
    worker = Worker([queue], connection=redis)
    worker.register_birth()
    return worker


def found(name: str) -> diagnosis.Finding:
    return next(one for one in diagnosis.diagnose() if one.name == name)


def sql(statement, *params):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)


def pending():
    scopes.ensure(SCOPE, now=NOW)
    return jobs.enqueue(kind=JobKind.EMBED, scope_id=SCOPE.id, target_id=uuid7(), profile="p")


def test_a_healthy_system_is_told_so(worker):
    active()
    drain.drain()

    told = answer("memorykit_doctor")

    assert told["healthy"]
    assert {one["level"] for one in told["findings"]} == {"ok"}
    printed = said("memorykit_doctor")
    assert "1 of 1 active memories" in printed
    assert "->" not in printed


def test_a_failure_exits_1_and_says_what_to_do(worker):
    job = pending()
    sql(
        "UPDATE memorykit_job SET due_at = clock_timestamp() - interval '1 hour' WHERE id = %s", job
    )

    code, sentence = refusal("memorykit_doctor")

    assert (code, sentence) == (1, "1 of 13 fail")
    bells = found("bells")
    assert bells.level is Level.FAIL
    assert "memorykit_sweep --loop" in bells.step


def test_wrong_settings_are_told_and_what_needs_them_fails(settings, worker):
    settings.MEMORYKIT = {"FINGERPRINT_KEY": "short"}

    code, _ = refusal("memorykit_doctor")

    assert code == 1
    assert found("redis").level is Level.FAIL
    assert "MEMORYKIT" in found("redis").detail


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("database", {"version": 150009}, "PostgreSQL 16"),
        ("database", {"vector": ""}, "pgvector"),
        ("database", {"vector": "0.7.4"}, "pgvector"),
        ("role", {"superuser": True}, "NOSUPERUSER"),
        ("role", {"exempt": True}, "NOBYPASSRLS"),
    ],
)
def test_an_unfit_server_or_role_is_told(monkeypatch, name, changes, words):
    fields = {field: getattr(SOUND, field) for field in SOUND.__dataclass_fields__}
    monkeypatch.setattr(server, "look", lambda: Server(**(fields | changes)))

    one = found(name)

    assert one.level is Level.FAIL
    assert words in one.step


def test_a_schema_that_is_behind_or_ahead_is_told():
    recorder = MigrationRecorder(connection)
    recorder.record_applied("memorykit", "9999_future")
    assert "newer" in found("schema").detail
    recorder.record_unapplied("memorykit", "9999_future")
    recorder.record_unapplied("memorykit", "0004_closed_scope")

    behind = found("schema")

    assert (behind.level, behind.detail) == (Level.FAIL, "lacks 0004_closed_scope")
    assert found("leases").level is Level.SKIP


@pytest.mark.parametrize(
    "harm",
    [
        "ALTER TABLE memorykit_source NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE memorykit_source DISABLE ROW LEVEL SECURITY",
        "DROP POLICY memorykit_scope ON memorykit_source",
        "ALTER TABLE memorykit_source RENAME TO memorykit_other",
    ],
)
def test_a_table_without_its_seal_is_named(harm):
    sql(harm)

    one = found("row security")

    assert (one.level, one.detail) == (Level.FAIL, "off on memorykit_source")


def test_every_table_with_a_policy_is_looked_at():
    with connection.cursor() as cursor:
        cursor.execute("SELECT polrelid::regclass::text FROM pg_policy")
        assert {row[0] for row in cursor.fetchall()} == set(diagnosis.sealed_tables())


def test_a_server_that_is_away_is_told_once(monkeypatch, settings):
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")

    findings = {one.name: one for one in diagnosis.diagnose()}

    assert findings["database"].level is Level.FAIL
    assert "does not answer (OperationalError" in findings["database"].detail
    for name in ("role", "schema", "row security", "leases", "embeddings"):
        assert findings[name].level is Level.SKIP
    assert findings["redis"].level is Level.OK


def test_redis_that_is_away_is_told(monkeypatch):
    def away(*args, **kwargs):
        raise diagnosis.redis.ConnectionError("secret")

    monkeypatch.setattr(diagnosis.django_rq, "get_connection", away)

    assert found("redis").detail == "does not answer (ConnectionError)"
    assert found("workers").level is Level.SKIP


def test_no_worker_matters_once_work_waits():
    assert found("workers").level is Level.WARN

    pending()

    assert found("workers").level is Level.FAIL
    assert "rqworker memorykit" in found("workers").step


def test_a_worker_that_stopped_beating_is_silent(redis, worker):
    assert found("workers").detail == "1 alive, 0 silent"

    redis.expire(worker.key, 20)

    assert (found("workers").level, found("workers").detail) == (Level.WARN, "0 alive, 1 silent")
    other = Worker([django_rq.get_queue("memorykit")], connection=redis)
    other.register_birth()
    assert found("workers").detail == "1 alive, 1 silent"
    assert "log" in found("workers").step


def test_a_lease_that_nobody_rescued_is_told():
    job = pending()
    leases.claim(JobKind.EMBED, limit=1)
    sql(
        "UPDATE memorykit_job SET lease_until = clock_timestamp() - interval '1 h' WHERE id = %s",
        job,
    )

    assert (found("leases").level, found("leases").detail) == (Level.FAIL, "1 ran out unnoticed")


def test_failed_jobs_are_counted():
    pending()
    (held,) = leases.claim(JobKind.EMBED, limit=1)
    leases.fail(held, FailureCode.EMBED_FAILED, recoverable=False)

    assert (found("failed jobs").level, found("failed jobs").detail) == (Level.WARN, "1")


def test_an_erase_that_did_not_finish_is_told():
    memory()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)

    assert found("closed scopes").level is Level.FAIL
    assert "memorykit_erase --all" in found("closed scopes").step


def test_memories_without_a_vector_lower_the_coverage():
    active("One.", key="a")
    drain.drain()
    active("Two.", key="b")
    memory("Three.", key="c")

    one = found("embeddings")

    assert one.level is Level.WARN
    assert one.detail.startswith("50.0%: 1 of 2")


def test_a_broken_chain_of_seals_is_named_with_its_scope_and_its_place():
    active()
    seals.extend(SCOPE)
    with sealed(SCOPE):
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        sql("ALTER TABLE memorykit_seal DISABLE TRIGGER USER")
        sql("UPDATE memorykit_seal SET actor = 'person:9' WHERE number = 1")
        sql("ALTER TABLE memorykit_seal ENABLE TRIGGER USER")

    code, _ = refusal("memorykit_doctor")

    assert code == 1
    assert found("seals").level is Level.FAIL
    assert found("seals").detail == f"{SCOPE.tenant_id}/{SCOPE.subject_id} at seal 1: seal_edited"
