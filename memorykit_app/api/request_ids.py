"""Request ids: one per request, in the answer and in the log."""

from __future__ import annotations

import re
import uuid

from django.http import HttpRequest

HEADER = "X-Request-ID"
META = "HTTP_X_REQUEST_ID"
_ATTRIBUTE = "memorykit_request_id"
_SHAPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def of(request: HttpRequest) -> str:
    """Return the id of a request: the one a proxy sent when it is well-formed, else a new one."""
    found = getattr(request, _ATTRIBUTE, None)
    if found is None:
        sent = request.META.get(META, "")
        found = sent if _SHAPE.fullmatch(sent) else str(uuid.uuid4())
        setattr(request, _ATTRIBUTE, found)
    return str(found)
