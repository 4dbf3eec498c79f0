"""The API's refusals: one shape, a stable code, the field by name, and never the words sent."""

from __future__ import annotations

import json
import threading
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.test import override_settings
from psycopg import errors as pg

from memorykit_app.api.service import api
from memorykit_app.backends.base import Authorizer
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import BackendError, InvalidRecallResult, Unavailable
from memorykit_app.models import Memory, sealed
from memorykit_app.recall import search
from memorykit_app.services import host_keys
from tests.acceptance.test_api_records import NEW, TURNS, WORDS
from tests.hosting import Host, host, mint
from tests.records import OTHER, SCOPE, active, erasure_of, memory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]
SECRET_WORDS = "quokka-7719"
GONE = "00000000-0000-7000-8000-000000000000"


def stored() -> int:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).count()


def looks_like_a_problem(answer) -> bool:
    body = answer.json()
    return (
        answer["Content-Type"] == "application/problem+json"
        and body["status"] == answer.status_code
        and bool(body["code"] and body["title"] and body["request_id"])
        and SECRET_WORDS not in answer.content.decode()
    )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": None}, "content"),
        ({"content": 7}, "content"),
        ({"subject_type": "user"}, "subject_type"),
        ({"tenant_id": SECRET_WORDS}, "tenant_id"),
        ({"Content": SECRET_WORDS}, "Content"),
        ({"importance": "4"}, "importance"),
        ({"importance": 4.5}, "importance"),
        ({"importance": True}, "importance"),
        ({"confidence": "1"}, "confidence"),
        ({"kind": SECRET_WORDS}, "kind"),
        ({"valid_from": 5}, "valid_from"),
        ({"valid_from": "2030-01-01T00:00:00"}, "valid_from"),
        ({"sources": [{"kind": "note", "ref": "n", "more": 1}]}, "sources.0.more"),
        ({SECRET_WORDS: 1}, "body"),
    ],
)
def test_a_body_of_another_shape_is_refused_by_field(change, field):
    answer = host().post("memories", NEW | change)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_json")
    assert answer.json()["field"] == field
    assert looks_like_a_problem(answer)
    assert stored() == 0


def test_a_missing_field_is_named():
    answer = host().post("memories", {name: NEW[name] for name in NEW if name != "reason"})

    assert answer.json()["detail"] == "reason: is missing"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"[1]",
        b'{"key": "a", "key": "b"}',
        b'{"importance": NaN}',
        b'{"importance": 99999999999999999999}',
        b'{"content": "\\ud800"}',
        b'{"content": "a\\u0000b"}',
        b'{"a": ' * 200 + b"1" + b"}" * 200,
        b'{"content": "\xff"}',
        json.dumps(NEW).encode() + b" trailing",
    ],
)
def test_json_that_is_none_or_hides_something_is_refused(body):
    answer = host().call("POST", "memories", body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_json")
    assert looks_like_a_problem(answer)
    assert stored() == 0


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"content": "x" * 9_000}, "invalid_request", "content"),
        ({"content": "  "}, "invalid_request", "content"),
        ({"importance": 101}, "invalid_request", "importance"),
        ({"reason": "Some words"}, "invalid_request", "reason"),
        ({"content": "The city is L\u202eisbon."}, "invalid_memory_content", "content"),
    ],
)
def test_a_value_that_breaks_a_rule_is_refused_by_field(change, code, field):
    answer = host().post("memories", NEW | change)

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["field"] == field
    assert looks_like_a_problem(answer)
    assert stored() == 0


def test_another_media_type_is_refused():
    answer = host().call("POST", "memories", json.dumps(NEW).encode(), content_type="text/plain")

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_body_beyond_the_limit_is_refused():
    too_long = host().post("memories", NEW | {"content": "x" * 300_000})

    assert (too_long.status_code, too_long.json()["code"]) == (413, "too_large")
    assert looks_like_a_problem(too_long)
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=100):
        beyond = host().post("memories", NEW)
    assert (beyond.status_code, beyond.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("memories?limit=0", "limit"),
        ("memories?limit=1000000", "limit"),
        ("memories?limit=x", "limit"),
        ("memories?status=", "status"),
        ("memories?status=gone", "status"),
        ("memories?kind=idea", "kind"),
        ("memories?limit=1&limit=2", "limit"),
        ("memories?tenant=acme", "tenant"),
        ("memories?%00=1", "parameter"),
        ("memories?cursor=", "cursor"),
        (f"memories/{GONE}?full=1", "full"),
        (f"memories/{GONE}/revisions?before_version=0", "before_version"),
        ("memories/not-a-uuid", "memory_id"),
        ("memories?key=%00", "key"),
    ],
)
def test_a_parameter_that_is_wrong_or_unknown_is_refused(path, field):
    answer = host().get(path)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["field"] == field
    assert looks_like_a_problem(answer)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer mk_nobody", "Basic abc", "Bearer \xe9"])
def test_without_a_valid_key_nothing_is_answered(header):
    answer = Host("").get("memories", Authorization=header)

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer["WWW-Authenticate"] == "Bearer"
    assert looks_like_a_problem(answer)


def test_a_recall_of_nothing_names_the_query():
    answer = host().post("recall", {"query": " "})

    assert (answer.status_code, answer.json()["field"]) == (400, "query")
    assert host().post("recall", {"query": "x", "items": 0}).json()["field"] == "items"


def test_an_erased_record_says_conflict_and_its_words_do_not_come_back():
    record = active()
    erasure_of(record)

    verb = host().post(f"memories/{record.pk}/forget", {"reason": "x", "expected_version": 2})
    again = host().post("memories", NEW)

    assert (verb.status_code, verb.json()["code"]) == (409, "memory_conflict")
    assert (again.status_code, again.json()["code"]) == (409, "memory_erased_before")


class _Server(pg.AdminShutdown):
    pass


def _database(sqlstate_error):
    error = OperationalError(SECRET_WORDS)
    error.__cause__ = sqlstate_error(SECRET_WORDS)
    return error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Unavailable(), 503, "memory_unavailable"),
        (BackendError("embed", recoverable=True), 503, "memory_unavailable"),
        (_database(_Server), 503, "memory_unavailable"),
        (InvalidRecallResult(), 500, "memory_integrity_error"),
        (ImproperlyConfigured(SECRET_WORDS), 500, "memory_configuration_error"),
        (ZeroDivisionError(SECRET_WORDS), 500, "memory_error"),
    ],
)
def test_what_breaks_inside_is_told_without_its_words(error, status, code, caplog):
    agent = host(Capability.READ)
    with patch.object(search, "recall", side_effect=error):
        answer = agent.post("recall", {"query": SECRET_WORDS})

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert looks_like_a_problem(answer)
    assert SECRET_WORDS not in caplog.text
    assert (status == 503) == answer.has_header("Retry-After")


# Every route with every foreign caller -------------------------------------------------------

CORRECT = WORDS | {"expected_version": 1}
USEFUL = {"verdict": "useful"}
RUN = {"run_id": "run-1", "user_id": "user-1"}
SEARCH = {"arguments": {"query": "office"}}
ONE = {"arguments": {"memory_id": GONE}}
OWN = ONE | RUN
WHY = {"version": 1, "reason": "asked"}
CHANGE = {"arguments": {"memory_id": GONE, "content": "x"} | WHY} | RUN
FORGET = {"arguments": {"memory_id": GONE} | WHY} | RUN
JUDGE = {"arguments": {"memory_id": GONE} | USEFUL}
REMEMBER = {
    "arguments": {"kind": "fact", "key": "k", "content": "It rains.", "reason": "asked"}
} | RUN
ROUTES: dict[str, tuple[str, str, Any, Capability]] = {
    "recall": ("POST", "recall", {"query": "office"}, Capability.READ),
    "list_memories": ("GET", "memories", None, Capability.READ),
    "create_memory": ("POST", "memories", NEW, Capability.WRITE_EXPLICIT),
    "read_memory": ("GET", "memories/{id}", None, Capability.READ),
    "read_sources": ("GET", "memories/{id}/sources", None, Capability.READ),
    "list_revisions": ("GET", "memories/{id}/revisions", None, Capability.REVIEW),
    "activate": ("POST", "memories/{id}/activate", "verb", Capability.REVIEW),
    "dismiss": ("POST", "memories/{id}/dismiss", "verb", Capability.REVIEW),
    "forget": ("POST", "memories/{id}/forget", "verb", Capability.WRITE_EXPLICIT),
    "restore": ("POST", "memories/{id}/restore", "verb", Capability.REVIEW),
    "revert": ("POST", "memories/{id}/revert", "verb", Capability.REVIEW),
    "correct": ("POST", "memories/{id}/correct", CORRECT, Capability.WRITE_EXPLICIT),
    "erase": ("POST", "memories/{id}/erase", "verb", Capability.ERASE),
    "project_context": ("POST", "context", {"messages": []}, Capability.READ),
    "give_feedback": ("POST", "memories/{id}/feedback", USEFUL, Capability.PROPOSE),
    "count_feedback": ("GET", "memories/{id}/feedback", None, Capability.REVIEW),
    "list_tools": ("GET", "tools", None, Capability.READ),
    "call_search_memory": ("POST", "tools/search_memory", SEARCH, Capability.READ),
    "call_read_memory": ("POST", "tools/read_memory", ONE, Capability.READ),
    "call_remember_project_memory": (
        "POST", "tools/remember_project_memory", REMEMBER, Capability.WRITE_EXPLICIT,
    ),
    "call_correct_memory": ("POST", "tools/correct_memory", CHANGE, Capability.WRITE_EXPLICIT),
    "call_forget_memory": ("POST", "tools/forget_memory", FORGET, Capability.WRITE_EXPLICIT),
    "call_memory_feedback": ("POST", "tools/memory_feedback", JUDGE, Capability.PROPOSE),
    "call_review_status": ("POST", "tools/review_status", OWN, Capability.WRITE_EXPLICIT),
    "submit_transcript": ("POST", "extractions", TURNS, Capability.PROPOSE),
    "read_extraction": ("GET", "extractions/{id}", None, Capability.PROPOSE),
}  # fmt: skip
VERB = {"reason": "x", "expected_version": 1}


def call(agent: Host, route: str, record: str):
    method, path, body, _ = ROUTES[route]
    return agent.call(method, path.format(id=record), VERB if body == "verb" else body)


def operations() -> set[str]:
    schema = api.get_openapi_schema(path_prefix="")
    return {op["operationId"] for path in schema["paths"].values() for op in path.values()}


def test_every_route_has_a_row():
    assert operations() == set(ROUTES)


@pytest.mark.parametrize("route", ROUTES)
def test_a_project_that_is_not_the_keys_is_forbidden_whether_it_exists_or_not(route):
    record = memory(scope=OTHER)
    secret = mint()[1]

    there = call(Host(secret, OTHER.subject_id), route, str(record.pk))
    nowhere = call(Host(secret, "no-such-project"), route, str(record.pk))

    assert there.status_code == nowhere.status_code == 403
    assert without_id(there) == without_id(nowhere)


@pytest.mark.parametrize("route", [route for route in ROUTES if "{id}" in ROUTES[route][1]])
def test_a_record_of_another_scope_is_as_good_as_none(route):
    foreign = active(scope=OTHER)

    not_ours = call(host(), route, str(foreign.pk))
    not_there = call(host(), route, GONE)

    assert not_ours.status_code == not_there.status_code == 404
    assert without_id(not_ours) == without_id(not_there)


@pytest.mark.parametrize("route", ROUTES)
def test_the_same_project_of_another_tenant_is_another_project(route):
    record = active("The vault is in Lisbon.", key="vault")
    stranger = host(tenant="rival")

    answer = call(stranger, route, str(record.pk))

    assert b"vault" not in answer.content
    assert answer.status_code in (200, 201, 202, 404)


@pytest.mark.parametrize("route", ROUTES)
def test_a_revoked_key_opens_no_route(route):
    key, secret = mint()
    host_keys.revoke(key.prefix, now=key.created_at)

    assert call(Host(secret), route, GONE).status_code == 401


@pytest.mark.parametrize("route", ROUTES)
def test_a_route_needs_its_capability(route):
    record = memory()
    needed = ROUTES[route][3]
    others = [capability for capability in Capability if capability is not needed]

    refused = call(host(*others), route, str(record.pk))

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert stored() == 1


def test_a_candidate_is_for_those_who_may_review():
    record = memory()

    assert host(Capability.READ).get(f"memories/{record.pk}").status_code == 404
    assert host(Capability.READ).get("memories?status=candidate").status_code == 403


def test_an_authorizer_that_fails_refuses():
    agent = host()
    away = settings.MEMORYKIT | {"AUTHORIZER": {"BACKEND": "nowhere.Authorizer"}}

    with override_settings(MEMORYKIT=away):
        answer = agent.post("recall", {"query": "x"})

    assert (answer.status_code, answer.json()["code"]) == (503, "memory_unavailable")


class Hanging(Authorizer):
    leave = threading.Event()

    def allows(self, principal, verb, scope, target):
        return self.leave.wait(60)


def test_an_authorizer_that_hangs_refuses_and_stores_nothing():
    agent = host()
    hangs = {"AUTHORIZER": {"BACKEND": f"{__name__}.Hanging"}, "AUTHORIZER_SECONDS": 0.05}

    with override_settings(MEMORYKIT=settings.MEMORYKIT | hangs):
        answers = [agent.post("recall", {"query": "x"}), agent.post("memories", NEW)]
    Hanging.leave.set()

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (503, "memory_unavailable")
    ] * 2
    assert all("Retry-After" in answer for answer in answers)
    assert stored() == 0


class Wavering(Authorizer):
    """Allows the first read it is asked about, and no other."""

    asks_this_database = True

    def __init__(self) -> None:
        self.reads = 0

    def allows(self, principal, verb, scope, target):
        self.reads += verb == "read"
        return verb == "read" and self.reads == 1


@pytest.mark.parametrize("path", ["memories", "recall", "memory"])
def test_the_authorizer_is_asked_again_for_each_read(path):
    record = active()
    agent = host(Capability.READ)
    wavers = {"AUTHORIZER": {"BACKEND": f"{__name__}.Wavering"}}

    def read():
        if path == "recall":
            return agent.post("recall", {"query": "office"})
        return agent.get(f"memories/{record.pk}" if path == "memory" else "memories")

    with override_settings(MEMORYKIT=settings.MEMORYKIT | wavers):
        assert [read().status_code, read().status_code] == [200, 403]


def without_id(answer):
    return {name: value for name, value in answer.json().items() if name != "request_id"}
