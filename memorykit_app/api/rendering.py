"""Rendering: answers as JSON, times in UTC whole to the microsecond, ids as text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja.renderers import BaseRenderer


class PlainRenderer(BaseRenderer):
    """Writes JSON in ASCII. ninja's own cuts times to the millisecond."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        return json.dumps(data, default=_plain)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(value)
