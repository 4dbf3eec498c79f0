"""Versions: the one a change is about, from the body or If-Match, and the ETag of an answer."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse

from memorykit_app.domain.errors import InvalidMemory

_ETAG = re.compile(r'"([1-9][0-9]{0,8})"')


def expected(request: HttpRequest, in_body: int | None) -> int:
    """Return the version that the caller saw.

    Raises InvalidMemory when neither or both name one and they differ, or If-Match is no ETag
    of ours.
    """
    header = request.headers.get("If-Match")
    if header is None:
        if in_body is None:
            raise InvalidMemory("expected_version", "send it, or If-Match with the ETag you read")
        return in_body
    shape = _ETAG.fullmatch(header.strip())
    if shape is None:
        raise InvalidMemory("If-Match", 'must be one ETag as it was answered, such as "3"')
    in_header = int(shape.group(1))
    if in_body not in (None, in_header):
        raise InvalidMemory("If-Match", "must agree with expected_version")
    return in_header


def mark(response: HttpResponse, version: int) -> None:
    """Put the ETag of a version on an answer."""
    response["ETag"] = f'"{version}"'
