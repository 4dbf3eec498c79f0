"""Transport: JSON posted to a service that someone else runs, within bounds of time and size."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import ssl
import time
import weakref
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from threading import Lock
from typing import Any

import httpx2

from memorykit_app.domain import strict_json
from memorykit_app.domain.errors import BackendError

CONNECT_SECONDS = 5.0
# Longer than this nobody waits, whatever the service asks for.
MOST_RETRY_AFTER = 86_400.0
_KEY = re.compile(r"[\x21-\x7e]*\Z")
# Too early, too many, or the service's own trouble; all else is our request's fault.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529})


class RefusedRequest(BackendError):
    """The service answered with a status that repeating the same request does not mend."""

    def __init__(self, op: str, status: int) -> None:
        super().__init__(op, recoverable=False)
        self.status = status


class Endpoint:
    """One service that speaks JSON over HTTP.

    `base_url` ends before the operation, as in `https://host/v1`; a blank path means `/v1`.
    `ca_file` holds the certificates to trust instead of the system's. `timeout_seconds` bounds
    one request, `max_bytes` its answer. Redirects are not followed. Raises ValueError for a URL
    or a key that cannot be used.
    """

    def __init__(
        self,
        op: str,
        base_url: str,
        *,
        api_key: str = "",
        ca_file: str = "",
        timeout_seconds: float,
        max_bytes: int,
    ) -> None:
        self._op = op
        self._url = _base(base_url)
        if not _KEY.match(api_key):
            raise ValueError("api_key must be printable ASCII without spaces")
        if timeout_seconds <= 0:
            raise ValueError("timeout_seconds must be above 0")
        self._key = api_key
        self._ca_file = ca_file
        self._seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._client: httpx2.Client | None = None
        _endpoints.add(self)

    def problems(self) -> list[str]:
        """Return what keeps requests from being made, or from being private."""
        found = []
        if self._ca_file and not os.path.isfile(self._ca_file):
            found.append(f"{self._op}: ca_file names no file; give a PEM file of certificates.")
        if self._key and self._url.scheme == "http" and not _is_local(self._url.host):
            found.append(f"{self._op}: the API key would travel in clear text; use an https URL.")
        return found

    def post(
        self, path: str, payload: Mapping[str, Any], *, timeout_seconds: float | None = None
    ) -> dict[str, Any]:
        """Post `payload` to `base_url` + `path` and return the object that comes back.

        Raises RefusedRequest for a status that stays, BackendError for anything else that is
        not a JSON object in time; neither holds words of the request, the answer or the key.
        """
        seconds = min(timeout_seconds or self._seconds, self._seconds)
        body = json.dumps(payload).encode()
        # Raised outside of any handler: the client's own errors hold the request with its key.
        answer, failure = self._exchange(path, body, seconds)
        if failure is not None:
            raise failure
        value = self._value(answer)
        if not isinstance(value, dict):
            raise BackendError(self._op, recoverable=False)
        return value

    def _exchange(
        self, path: str, body: bytes, seconds: float
    ) -> tuple[bytes, BackendError | None]:
        end = time.monotonic() + seconds
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        timeout = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        try:
            with self._opened().stream(
                "POST", f"{self._url}{path}", content=body, headers=headers, timeout=timeout
            ) as response:
                if response.status_code != 200:
                    return b"", self._refusal(response)
                return self._read(response, end)
        except httpx2.HTTPError:
            return b"", BackendError(self._op, recoverable=True)
        except OSError:
            # The trusted certificates cannot be read.
            return b"", BackendError(self._op, recoverable=False)

    def _refusal(self, response: httpx2.Response) -> BackendError:
        if response.status_code in _PASSING:
            wait = _retry_after(response.headers.get("Retry-After", ""))
            return BackendError(self._op, recoverable=True, retry_after=wait)
        return RefusedRequest(self._op, response.status_code)

    def _read(self, response: httpx2.Response, end: float) -> tuple[bytes, BackendError | None]:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            # Packed against our wish: a small answer could unpack to any size.
            return b"", BackendError(self._op, recoverable=False)
        kept = bytearray()
        for chunk in response.iter_raw():
            kept += chunk
            if len(kept) > self._max_bytes:
                return b"", BackendError(self._op, recoverable=False)
            # Each single read is in time even where the whole drips for hours.
            if time.monotonic() > end:
                return b"", BackendError(self._op, recoverable=True)
        return bytes(kept), None

    def _value(self, answer: bytes) -> Any:
        try:
            return strict_json.loads(answer, max_bytes=self._max_bytes)
        except strict_json.InvalidJson as error:
            # Cut off or a page of some proxy between: it passes. A bad value inside stays.
            passing = error.line is not None or not error.where
        raise BackendError(self._op, recoverable=passing)

    def _opened(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                self._client = httpx2.Client(verify=_trusted(self._ca_file), follow_redirects=False)
                weakref.finalize(self, _close, self._client, os.getpid())
            return self._client

    def _forked(self) -> None:
        # Connections of the parent are not ours to use, nor to close.
        self._lock = Lock()
        self._client = None


_endpoints: weakref.WeakSet[Endpoint] = weakref.WeakSet()


def _after_fork() -> None:
    for endpoint in list(_endpoints):
        endpoint._forked()


os.register_at_fork(after_in_child=_after_fork)


@lru_cache(maxsize=8)
def _trusted(ca_file: str) -> ssl.SSLContext:
    # Reading the system's certificates takes a tenth of a second.
    if ca_file:
        return ssl.create_default_context(cafile=ca_file)
    return httpx2.create_ssl_context()


def _close(client: httpx2.Client, pid: int) -> None:
    if pid == os.getpid():
        client.close()


def _base(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("base_url must be an http or https URL such as https://host/v1")
    if url.userinfo or url.query or url.fragment:
        raise ValueError("base_url must not hold a user, a query or a fragment; use api_key")
    return url.copy_with(path=url.path.rstrip("/") or "/v1")


def _is_local(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _retry_after(value: str) -> float | None:
    """Return the seconds that a Retry-After header asks for, as a number or as a date."""
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,3})?", value, re.ASCII):
        return min(float(value), MOST_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    left = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)
    return min(max(left.total_seconds(), 0.0), MOST_RETRY_AFTER)
