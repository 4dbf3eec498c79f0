"""The transport, against a real server that behaves in every bad way."""

from __future__ import annotations

import gc
import gzip
import os
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from memorykit_app.backends import transport
from memorykit_app.backends.transport import Endpoint, RefusedRequest
from memorykit_app.domain.errors import BackendError
from tests.unit.backends.speaking import KEY, Reply, serving

SECRET = "the customer's words"
MAX_BYTES = 4_096
QUICK = 0.4


def endpoint(url, **options):
    return Endpoint(
        "embed",
        url,
        **{"api_key": KEY, "timeout_seconds": 5.0, "max_bytes": MAX_BYTES} | options,
    )


def failure(reply, **options):
    """Return the error that `reply` leads to, having seen that it tells no secrets."""
    with serving(lambda _: reply) as service, pytest.raises(BackendError) as raised:
        endpoint(service.url, **options).post("/embeddings", {"input": SECRET})
    error = raised.value
    assert error.__cause__ is None
    assert error.__context__ is None
    told = str(error) + repr(error) + repr(vars(error))
    assert SECRET not in told
    assert KEY not in told
    return error


def test_an_object_comes_back_and_the_key_travels_in_its_header_only():
    with serving(lambda _: Reply(body={"ok": 1})) as service:
        found = endpoint(service.url).post("/embeddings", {"input": SECRET})

    (heard,) = service.heard
    assert found == {"ok": 1}
    assert heard.path == "/v1/embeddings"
    assert heard.body == {"input": SECRET}
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["accept-encoding"] == "identity"


def test_without_a_key_no_header_is_sent():
    with serving(lambda _: Reply()) as service:
        endpoint(service.url, api_key="").post("/embeddings", {})

    assert "authorization" not in service.heard[0].headers


def test_one_connection_serves_many_requests_and_is_closed_with_its_endpoint():
    with serving(lambda _: Reply()) as service:
        one = endpoint(service.url)
        for _ in range(3):
            one.post("/embeddings", {})
        client = one._client
        del one
        gc.collect()

    assert len(service.heard) == 3
    assert client.is_closed


def test_a_blank_path_means_version_one_and_a_slash_at_the_end_nothing():
    with serving(lambda _: Reply()) as service:
        endpoint(service.url.removesuffix("/v1")).post("/embeddings", {})
        endpoint(service.url + "/").post("/embeddings", {})

    assert [heard.path for heard in service.heard] == ["/v1/embeddings"] * 2


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_trouble_that_passes_is_recoverable(status):
    error = failure(Reply(status=status, body={"error": SECRET}))

    assert error.recoverable
    assert error.retry_after is None


@pytest.mark.parametrize("status", [201, 204, 400, 401, 403, 404, 413, 422, 501])
def test_a_refusal_that_stays_is_not_recoverable(status):
    error = failure(Reply(status=status, body=b""))

    assert isinstance(error, RefusedRequest)
    assert (error.recoverable, error.status) == (False, status)


def test_a_redirect_is_not_followed():
    with serving(lambda _: Reply()) as other:
        error = failure(Reply(status=307, headers={"Location": f"{other.url}/embeddings"}))

    assert not error.recoverable
    assert other.heard == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("0", 0.0),
        ("999999999", transport.MOST_RETRY_AFTER),
        ("-5", None),
        ("soon", None),
        ("٣", None),
        ("", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0.0),
    ],
)
def test_the_wait_that_a_service_asks_for(value, seconds):
    assert transport._retry_after(value) == seconds


def test_a_wait_until_a_date():
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)

    error = failure(Reply(status=429, headers={"Retry-After": date}))

    assert error.retry_after == pytest.approx(90, abs=5)


def test_a_wait_in_seconds_is_told():
    assert failure(Reply(status=503, headers={"Retry-After": "12"})).retry_after == 12


def test_a_slow_service_is_not_waited_for():
    started = time.monotonic()

    error = failure(Reply(hang=5), timeout_seconds=QUICK)

    assert error.recoverable
    assert time.monotonic() - started < QUICK + 2


def test_an_answer_that_drips_is_in_time_as_a_whole_or_not_at_all():
    started = time.monotonic()

    error = failure(Reply(body=b" " * 1_000, drip=0.05), timeout_seconds=QUICK)

    assert error.recoverable
    assert time.monotonic() - started < QUICK + 2


def test_a_request_may_have_less_time_than_its_endpoint():
    with serving(lambda _: Reply(hang=5)) as service:
        started = time.monotonic()
        with pytest.raises(BackendError):
            endpoint(service.url).post("/embeddings", {}, timeout_seconds=QUICK)

        assert time.monotonic() - started < QUICK + 2


@pytest.mark.parametrize("reply", [Reply(reset=True), Reply(body={"a": "b" * 99}, cut=50)])
def test_a_broken_connection_is_recoverable(reply):
    assert failure(reply).recoverable


def test_nobody_listening_is_recoverable():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(BackendError) as raised:
            endpoint(f"http://127.0.0.1:{held.getsockname()[1]}").post("/embeddings", {})

    assert raised.value.recoverable


@pytest.mark.parametrize(
    "body", [b"", b"   ", b'{"data": [1, 2', b"<html>busy</html>", b"\xff\xfe", b"[" * 99]
)
def test_an_answer_that_is_no_json_passes(body):
    assert failure(Reply(body=body)).recoverable


@pytest.mark.parametrize("body", [b'{"data": [NaN]}', b'{"a": 1e999}', b"[]", b'"text"', b"null"])
def test_json_with_a_wrong_value_stays_wrong(body):
    assert not failure(Reply(body=body)).recoverable


def test_an_answer_beyond_the_bound_is_not_read():
    assert not failure(Reply(body={"a": "b" * MAX_BYTES})).recoverable


def test_a_packed_answer_is_not_unpacked():
    packed = gzip.compress(b"{}")

    assert not failure(Reply(body=packed, headers={"Content-Encoding": "gzip"})).recoverable


def test_a_malformed_header_of_the_service_is_recoverable():
    assert failure(Reply(headers={"Bad Name": "x"})).recoverable


@pytest.mark.parametrize(
    "url",
    [
        "",
        "host/v1",
        "ftp://host/v1",
        "http://",
        "http://user:word@host/v1",
        "http://host/v1?key=word",
        "http://host/v1#part",
        "http://host:port/v1",
        "http://[::1/v1",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_being_repeated(url):
    with pytest.raises(ValueError, match="base_url must") as refused:
        endpoint(url)

    assert "word" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"api_key": "two words"}, "api_key"),
        ({"api_key": "line\n"}, "api_key"),
        ({"api_key": "schlüssel"}, "api_key"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options, said):
    with pytest.raises(ValueError, match=said) as refused:
        endpoint("http://localhost/v1", **options)

    assert str(options.get("api_key")) not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "key", "ill"),
    [
        ("https://models.example/v1", KEY, False),
        ("http://models.example/v1", KEY, True),
        ("http://models.example/v1", "", False),
        ("http://10.0.0.7/v1", KEY, True),
        ("http://127.0.0.1:8000/v1", KEY, False),
        ("http://[::1]:8000/v1", KEY, False),
        ("http://localhost:8000/v1", KEY, False),
    ],
)
def test_a_key_in_clear_text_over_a_network_is_a_problem(url, key, ill):
    assert bool(endpoint(url, api_key=key).problems()) is ill


def test_certificates_that_are_not_there_are_a_problem_and_an_error(tmp_path):
    one = endpoint("https://localhost:1/v1", ca_file=str(tmp_path / "none.pem"))

    assert "ca_file" in one.problems()[0]
    with pytest.raises(BackendError) as raised:
        one.post("/embeddings", {})
    assert not raised.value.recoverable


def test_given_certificates_are_read(tmp_path):
    one = endpoint(
        "https://127.0.0.1:1/v1", ca_file=transport.ssl.get_default_verify_paths().cafile
    )

    with pytest.raises(BackendError) as raised:
        one.post("/embeddings", {})

    assert raised.value.recoverable


FORKS = """
import os, sys
from memorykit_app.backends.transport import Endpoint
one = Endpoint("embed", sys.argv[1], timeout_seconds=5.0, max_bytes=99)
one.post("/embeddings", {"who": "parent"})
one._lock.acquire()
child = os.fork()
if child == 0:
    one.post("/embeddings", {"who": "child"})
    os._exit(0)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
one._lock.release()
one.post("/embeddings", {"who": "parent"})
raise SystemExit(code)
"""


def test_a_forked_child_makes_a_connection_of_its_own():
    with serving(lambda _: Reply()) as service:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", FORKS, service.url],
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.unit.backends.small_settings"},
            timeout=60,
        )

    assert done.returncode == 0
    assert [heard.body["who"] for heard in service.heard] == ["parent", "child", "parent"]


def test_what_another_process_opened_is_not_closed_here():
    client = transport.httpx2.Client()

    transport._close(client, os.getpid() + 1)

    assert not client.is_closed
    transport._close(client, os.getpid())
    assert client.is_closed
