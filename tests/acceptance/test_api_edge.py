"""The edge of the API: methods, paths, media types, sizes, ids, and what no answer carries."""

from __future__ import annotations

import json
import logging
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError
from django.http.request import UnreadablePostError
from django.test import Client, override_settings

from memorykit_app.api import edge, request_ids
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import BackendError, MemorykitError
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import search
from memorykit_app.services import host_keys
from tests.acceptance.test_api_records import NEW
from tests.hosting import Host, host, mint
from tests.records import SCOPE, active, at, memory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]
WORDS = "quokka-7719"


def stored() -> int:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).count()


def refused(answer, status: int, code: str) -> bool:
    body = answer.json()
    return (
        (answer.status_code, body["status"], body["code"]) == (status, status, code)
        and answer["Content-Type"] == "application/problem+json"
        and answer["X-Request-ID"] == body["request_id"]
        and WORDS not in answer.content.decode()
    )


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "PUT", "OPTIONS", "HEAD"])
def test_a_method_that_a_route_does_not_know_is_a_problem(method):
    answer = host().call(method, "memories")

    assert answer.status_code == 405
    assert set(answer["Allow"].split(", ")) == {"GET", "POST"}
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["", "nothing", "memories/", f"memories/{WORDS}/more/x"])
def test_a_path_that_no_route_has_is_a_problem(path):
    assert refused(host().get(path), 404, "not_found")


def test_the_root_of_the_api_is_a_problem(client):
    assert refused(client.get("/v1/"), 404, "not_found")
    assert refused(client.get("/v1/docs"), 404, "not_found")
    assert refused(client.get("/v1/openapi.json"), 404, "not_found")


def test_the_method_is_the_one_of_the_request_line():
    record = active()

    answer = host().get(f"memories/{record.pk}", **{"X-HTTP-Method-Override": "DELETE"})

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("media_type", "headers"),
    [
        ("text/plain", {}),
        ("application/x-www-form-urlencoded", {}),
        ("multipart/form-data; boundary=x", {}),
        ("application/json; charset=utf-16", {}),
        ("application/json", {"Content-Encoding": "gzip"}),
        ("application/x-ndjson", {}),
    ],
)
def test_a_body_of_another_kind_is_refused(media_type, headers):
    body = json.dumps(NEW).encode()

    answer = host().call("POST", "memories", body, content_type=media_type, **headers)

    assert refused(answer, 415, "unsupported_media_type")
    assert stored() == 0


def test_utf_8_may_be_named():
    body = json.dumps(NEW).encode()

    answer = host().call("POST", "memories", body, content_type="application/json; charset=UTF-8")

    assert answer.status_code == 201


def test_a_body_that_says_it_is_huge_is_not_read():
    answer = host().call("POST", "recall", b"{}", **{"Content-Length": "999999999"})

    assert refused(answer, 413, "too_large")


def test_a_transcript_has_a_limit_of_its_own():
    small = settings.MEMORYKIT | {"LIMITS": {"transcript_bytes": 100}}
    agent = host(Capability.PROPOSE)

    with override_settings(MEMORYKIT=small):
        answer = agent.post("extractions", [{"role": "user", "content": "x" * 200}])

    assert refused(answer, 413, "too_large")


@pytest.mark.parametrize("error", [UnreadablePostError(WORDS), SuspiciousOperation(WORDS)])
def test_a_body_that_breaks_off_is_a_problem(error):
    agent = host(Capability.READ)

    with patch.object(search, "recall", side_effect=error):
        answer = agent.post("recall", {"query": "x"})

    assert refused(answer, 400, "invalid_json")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"key": "a", "key": "b"}', "key"),
        (b'{"sources": [{"ref": "a", "ref": "b"}]}', "sources[0].ref"),
        (b'{"' + WORDS.encode() + b'": 1, "' + WORDS.encode() + b'": 2}', "*"),
        (b'{"content": "\\ud800"}', "content"),
        (b'{"importance": NaN}', "importance"),
        (b'{"content": "\xff"}', None),
        (b"[1]", "body"),
        (b"7", "body"),
        (b"", "body"),
    ],
)
def test_broken_json_is_refused_by_field(body, field):
    answer = host().call("POST", "memories", body)

    assert refused(answer, 400, "invalid_json")
    assert answer.json().get("field") == field
    assert stored() == 0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"valid_until": None}, "valid_until"),
        ({"idempotency_key": None}, "idempotency_key"),
        ({"valid_until": 1893456000}, "valid_until"),
        ({"reason": None}, "reason"),
        ({"kind": None}, "kind"),
        ({"sources": {}}, "sources"),
        ({"sources": ["note:1"]}, "sources.0"),
        ({"sources": "note:1"}, "sources"),
        ({"note": 1}, "note"),
        ({"confidence": True}, "confidence"),
        ({"status": "active"}, "status"),
        ({"created_by": "person:1"}, "created_by"),
        ({"scope": {"tenant_id": "other"}}, "scope"),
        ({"sources": [{"kind": "note", "ref": "1", WORDS: 1}]}, "body"),
    ],
)
def test_a_field_of_another_type_is_refused_by_name(change, field):
    answer = host().post("memories", NEW | change)

    assert refused(answer, 400, "invalid_json")
    assert answer.json()["field"] == field
    assert stored() == 0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"valid_until": "2040-01-01"}, "valid_until"),
        ({"valid_until": "2040-01-01T00:00:00"}, "valid_until"),
        ({"valid_until": "0001-01-01T00:00:00+23:00"}, "valid_until"),
        ({"valid_until": "9999999-01-01T00:00:00Z"}, "valid_until"),
        ({"valid_until": "2001-01-01T00:00:00Z"}, "valid_until"),
        ({"importance": -1}, "importance"),
        ({"confidence": 1.1}, "confidence"),
        ({"key": " padded "}, "key"),
        ({"key": "k" * 257}, "key"),
        ({"note": "n" * 281}, "note"),
        ({"sources": [{"kind": "a", "ref": "b"}] * 2}, "sources"),
        ({"idempotency_key": "k" * 513}, "idempotency_key"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(change, field):
    answer = host().post("memories", NEW | change)

    assert refused(answer, 400, "invalid_request")
    assert answer.json()["field"] == field
    assert stored() == 0


def test_times_come_back_as_they_were_sent():
    until = "2040-01-01T01:02:03.456789+02:00"

    made = host().post("memories", NEW | {"valid_until": until}).json()

    assert made["valid_until"] == "2039-12-31T23:02:03.456789Z"


def test_a_request_id_of_a_proxy_is_kept_and_any_other_replaced():
    agent = host()

    kept = agent.get("memories", **{"X-Request-ID": "edge-1.a_b"})
    replaced = agent.get("memories", **{"X-Request-ID": f"{WORDS} \x1b[31m"})

    assert kept[request_ids.HEADER] == "edge-1.a_b"
    assert WORDS not in replaced[request_ids.HEADER]


def test_the_log_and_the_answer_name_the_same_request(caplog):
    caplog.set_level(logging.INFO, "django_structlog")

    answer = host().get("memories", **{"X-Request-ID": f"{WORDS} \x1b[31m"})

    told = [record.msg["request_id"] for record in caplog.records if type(record.msg) is dict]
    assert set(told) == {answer[request_ids.HEADER]}
    assert WORDS not in caplog.text


def test_answers_are_not_kept_and_set_no_cookie():
    answer = host().get("memories")

    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert not answer.cookies


def test_no_token_but_the_key_is_asked_for():
    browser = Client(enforce_csrf_checks=True)

    answer = browser.post(
        f"/v1/projects/{SCOPE.subject_id}/memories",
        json.dumps(NEW),
        content_type="application/json",
        headers={"Authorization": f"Bearer {mint()[1]}"},
    )

    assert answer.status_code == 201


def test_a_session_opens_nothing(admin_client):
    answer = admin_client.get(f"/v1/projects/{SCOPE.subject_id}/memories")

    assert refused(answer, 401, "unauthorized")


@pytest.mark.parametrize(
    "header",
    [
        f"Bearer {'A' * 100_000}",
        "Bearer ' OR '1'='1",
        "Bearer eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJhY21lIn0.",
        "Bearer \x00",
        "Bearer mk_000000000000_" + "A" * 43,
        "Token abc",
    ],
)
def test_a_key_that_is_none_opens_nothing(header):
    assert refused(Host("").get("memories", Authorization=header), 401, "unauthorized")


def test_an_expired_key_opens_nothing():
    key, secret = mint()
    host_keys.rotate(key.prefix, now=at(-10), overlap_until=at(-5))

    assert refused(Host(secret).get("memories"), 401, "unauthorized")


@pytest.mark.parametrize("project", ["RED", "red ", "r%C3%A9d", "%00", "red%0A", "*"])
def test_a_project_is_matched_as_it_is(project):
    assert refused(Host(mint()[1], project).get("memories"), 403, "forbidden")


def test_a_database_that_is_away_is_told_as_such():
    lost = OperationalError(WORDS)
    lost.__cause__ = __import__("psycopg").OperationalError(WORDS)

    with patch.object(host_keys, "authenticate", side_effect=lost):
        answer = host(Capability.READ).get("memories")

    assert refused(answer, 503, "memory_unavailable")
    assert answer["Retry-After"] == "1"


def test_a_part_says_how_long_it_wants_to_be_left_alone():
    error = BackendError("embed", recoverable=True, retry_after=7.2)
    agent = host(Capability.READ)

    with patch.object(search, "recall", side_effect=error):
        answer = agent.post("recall", {"query": "x"})

    assert answer["Retry-After"] == "8"


@pytest.mark.parametrize("error", [BackendError("embed", recoverable=False), MemorykitError()])
def test_a_defect_is_logged_by_type_and_place_under_its_request_id(error, caplog):
    caplog.set_level(logging.ERROR, "memorykit")
    agent = host(Capability.READ)

    with patch.object(search, "recall", side_effect=error):
        answer = agent.post("recall", {"query": WORDS})

    told = next(record for record in caplog.records if record.message == "api_failed")
    assert refused(answer, 500, "memory_error")
    assert told.error == type(error).__name__
    assert told.at
    assert told.request_id == answer.json()["request_id"]
    assert WORDS not in caplog.text


def test_what_breaks_before_any_route_is_a_problem_too():
    agent = host(Capability.READ)

    with patch.object(edge, "_bounded", side_effect=ZeroDivisionError(WORDS)):
        answer = agent.get("memories")

    assert refused(answer, 500, "memory_error")


def test_a_debugging_server_tells_no_more():
    agent = host(Capability.READ)

    with (
        override_settings(DEBUG=True),
        patch.object(search, "recall", side_effect=ValueError(WORDS)),
    ):
        answer = agent.post("recall", {"query": WORDS})

    assert refused(answer, 500, "memory_error")


def test_a_refused_change_leaves_everything_as_it_was():
    record = memory()
    before = host().get(f"memories/{record.pk}").json()

    for path in ("activate", "dismiss", "erase"):
        body = {"reason": "x", "expected_version": 9}
        assert refused(host().post(f"memories/{record.pk}/{path}", body), 409, "memory_conflict")

    assert host().get(f"memories/{record.pk}").json() == before
