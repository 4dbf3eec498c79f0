"""Erase: gone from every place, provably, and a planted leak is found in each of them."""

from __future__ import annotations

import base64
import json
import zlib
from uuid import uuid4

import django_rq
import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connection

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import (
    AccessDenied,
    FingerprintBlocked,
    InvalidMemory,
    MemoryNotFound,
)
from memorykit_app.models import (
    ErasureReceipt,
    Fingerprint,
    Job,
    ReviewerGrant,
    Transcript,
    sealed,
)
from memorykit_app.services import erasure, fingerprints, transcripts, verification
from tests.records import NOW, OPERATOR, OTHER, SCOPE, active, asked, memory

pytestmark = pytest.mark.django_db
SECRET = 'Zanzibar 项目 "quoted" words'
TURNS = json.dumps([{"role": "user", "content": f"Please note: {SECRET}"}]).encode()


@pytest.fixture
def redis():
    client = django_rq.get_connection("memorykit")
    client.flushdb()
    return client


def erased(**changes):
    record = active(SECRET, key="place.secret", **changes)
    return erasure.erase(record.pk, asked(1, reason="request"))


def hits(receipt, *, logs=()):
    report = verification.verify(receipt.pk, [SECRET], logs=logs)
    return {(hit.store, hit.place) for hit in report.hits}


def test_nothing_is_left_after_erase(redis):
    receipt = erased(source_agent_id="agent-1", idempotency_key=SECRET)

    report = verification.verify(receipt.pk, [SECRET, "place.secret", "agent-1"])

    assert report.clean
    assert report.columns > 100


def test_the_words_are_found_before_the_erase(redis):
    receipt = erased()
    active(SECRET, key="place.secret", scope=OTHER)

    found = hits(receipt)

    assert ("table", "memorykit_memory.content") in found
    assert ("table", "memorykit_revision.snapshot") in found


def test_the_transcript_that_a_source_points_to_goes_too(redis):
    submitted = transcripts.submit(TURNS, scope=SCOPE, by=OPERATOR, now=NOW)
    place = SourceRef(kind="transcript", ref=transcripts.ref_of(submitted.job_id), quote=SECRET)
    record = memory("Zanzibar.", sources=(place,))
    stranger = memory("Other.", key="b", sources=(SourceRef(kind="transcript", ref="elsewhere"),))

    preview = erasure.preview(record.pk, scope=SCOPE, by=OPERATOR)
    receipt = erasure.erase(record.pk, asked(1))

    assert preview["transcript"] == receipt.counts["transcript"] == 1
    assert hits(receipt) == set()
    assert not Job.objects.filter(pk=submitted.job_id).exists()
    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()
    assert erasure.erase(stranger.pk, asked(1)).counts["transcript"] == 0


def test_the_preview_counts_what_the_receipt_counts_and_writes_nothing():
    record = active(SECRET)

    preview = erasure.preview(record.pk, scope=SCOPE, by=OPERATOR)
    receipt = erasure.erase(record.pk, asked(1))

    assert {name: receipt.counts[name] for name in preview} == preview
    assert erasure.preview(record.pk, scope=SCOPE, by=OPERATOR) == {}


@pytest.mark.parametrize(
    "look",
    [
        lambda memory_id, by: erasure.erase(memory_id, asked(2, by=by)),
        lambda memory_id, by: erasure.preview(memory_id, scope=SCOPE, by=by),
    ],
)
def test_erase_needs_its_right_also_for_a_tombstone(look):
    reader = Principal(actor="host:abc", capabilities=frozenset({Capability.READ}))
    record = active(SECRET)
    erasure.erase(record.pk, asked(1))

    with pytest.raises(AccessDenied):
        look(record.pk, reader)


def test_receipts_are_chained_and_a_changed_one_is_told():
    first = erased()
    second = erasure.erase(active("Other words.", key="other").pk, asked(1))

    assert second.previous_hash == first.hash
    assert erasure.receipt_hash(second) == second.hash
    second.counts = {"memory": 7}
    assert erasure.receipt_hash(second) != second.hash


def test_fingerprints_are_keyed_and_differ_by_scope():
    erased()
    foreign = active(SECRET, key="place.secret", scope=OTHER)
    erasure.erase(foreign.pk, asked(1, scope=OTHER))

    digests = set()
    for scope in (SCOPE, OTHER):
        with sealed(scope):
            digests |= set(Fingerprint.objects.in_scope(scope).values_list("digest", flat=True))
    assert len(digests) == 2


def plant_in_admin_log():
    user = get_user_model().objects.create_user("someone")
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(ErasureReceipt),
        object_repr=SECRET,
        action_flag=ADDITION,
    )


def plant_in_session():
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_session VALUES ('k', %s, now())",
            [base64.b64encode(f"xx{SECRET}yy".encode()).decode()],
        )


@pytest.mark.parametrize(
    ("plant", "place"),
    [
        (plant_in_admin_log, "django_admin_log.object_repr"),
        (plant_in_session, "django_session.session_data"),
    ],
)
def test_a_leak_in_a_table_is_found(redis, plant, place):
    receipt = erased()

    plant()

    assert ("table", place) in hits(receipt)


@pytest.mark.parametrize(
    "write",
    [
        lambda client, value: client.set("leak", value),
        lambda client, value: client.set("leak", zlib.compress(value)),
        lambda client, value: client.set("leak", base64.b64encode(zlib.compress(value))),
        lambda client, value: client.hset("leak", "data", zlib.compress(value)),
        lambda client, value: client.rpush("leak", value),
        lambda client, value: client.sadd("leak", value),
        lambda client, value: client.zadd("leak", {value: 1}),
        lambda client, value: client.xadd("leak", {"result": base64.b64encode(value)}),
        lambda client, value: client.set("leak", json.dumps({"x": value.decode()})),
    ],
)
def test_a_leak_in_redis_is_found(redis, write):
    receipt = erased()

    write(redis, f"before {SECRET} after".encode())

    assert ("redis", "leak") in hits(receipt)


def test_a_leak_in_a_log_is_found(redis, tmp_path):
    receipt = erased()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "web.log").write_text(f'{{"event": {json.dumps(SECRET)}}}\n')
    (tmp_path / "clean.log").write_text("nothing here\n")

    assert hits(receipt, logs=[tmp_path]) == {("log", "web.log")}


def test_a_leak_in_the_planner_statistics_is_found(redis):
    receipt = erased()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE leak (words text)")
        cursor.execute("INSERT INTO leak SELECT %s FROM generate_series(1, 50)", [SECRET])
        cursor.execute("ANALYZE leak")
        cursor.execute("DELETE FROM leak")

    assert ("statistics", "pg_stats") in hits(receipt)


@pytest.mark.parametrize("probes", [[], ["abc"], ["    "]])
def test_probes_that_would_be_found_everywhere_are_refused(probes):
    with pytest.raises(InvalidMemory):
        verification.verify(uuid4(), probes)


def test_an_unknown_receipt_is_told():
    with pytest.raises(MemoryNotFound):
        verification.verify(uuid4(), [SECRET])


def test_the_command_exits_1_on_a_hit_and_never_prints_the_words(redis, tmp_path, capsys):
    receipt = erased()
    probes = tmp_path / "probes.txt"
    probes.write_text(f"{SECRET}\n\n")

    call_command("memorykit_verify_erasure", str(receipt.pk), probe_file=probes)
    plant_in_session()
    with pytest.raises(CommandError) as caught:
        call_command("memorykit_verify_erasure", str(receipt.pk), probe_file=probes, json=True)

    out = capsys.readouterr().out
    assert caught.value.returncode == 1
    assert "nothing found" in out
    assert "django_session.session_data" in out
    assert "Zanzibar" not in out


def eraser(django_user_model):
    user = django_user_model.objects.create_user("officer")
    user.user_permissions.add(Permission.objects.get(codename="erase_memory"))
    ReviewerGrant(user=user, tenant_id="acme", subject_id="red").save()
    return Principal.person(user.pk)


def test_a_person_may_lift_a_block_and_a_new_erase_sets_it_again(django_user_model):
    erased()
    officer = eraser(django_user_model)

    with pytest.raises(AccessDenied):
        fingerprints.lift(SECRET, scope=SCOPE, by=OPERATOR, now=NOW)
    fingerprints.lift(SECRET, scope=SCOPE, by=officer, now=NOW)
    again = active(SECRET, key="place.again")
    with pytest.raises(MemoryNotFound):
        fingerprints.lift(SECRET, scope=SCOPE, by=officer, now=NOW)
    erasure.erase(again.pk, asked(1))

    with pytest.raises(FingerprintBlocked):
        active(SECRET, key="place.third")
