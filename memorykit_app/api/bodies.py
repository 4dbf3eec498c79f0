"""Bodies: read once, strictly, within bounds; what is wrong is named and never repeated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from memorykit_app import conf
from memorykit_app.api import fields
from memorykit_app.api.refusals import BodyTooLarge, MediaTypeRefused
from memorykit_app.domain import strict_json
from memorykit_app.domain.errors import InvalidMemory, MemorykitError
from memorykit_app.domain.strict_json import InvalidJson

JSON = "application/json"
_UTF8 = frozenset({"", "utf-8", "utf8"})
# Only a name that reads like a field may stand in an answer: any other could be content.
_PLAIN_NAME = re.compile(r"[a-z_]{1,32}|[0-9]{1,4}")
_SHAPES = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of this request",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
}
_VALUES = {
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "string_too_short": "must not be blank",
    "enum": "must be one of {expected}",
}


class StrictParser(Parser):
    """Reads JSON through `domain.strict_json` and refuses other kinds of bodies."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the JSON value. Raises MediaTypeRefused, BodyTooLarge or InvalidJson."""
        limit = conf.settings().limits.body_bytes
        return strict_json.loads(raw(request, JSON, most=limit), max_bytes=limit)


def raw(request: HttpRequest, *media_types: str, most: int) -> bytes:
    """Return the bytes of a body of one of these media types, at most `most` of them.

    Raises MediaTypeRefused or BodyTooLarge.
    """
    charset = (request.content_params or {}).get("charset", "").lower()
    plain = request.headers.get("Content-Encoding", "identity").lower() == "identity"
    body = request.body
    known = request.content_type in media_types and charset in _UTF8 and plain
    # An empty body has no type; what is missing in it is said later.
    if body and not known:
        raise MediaTypeRefused(*media_types)
    if len(body) > most:
        raise BodyTooLarge(most)
    return body


def refusal(errors: Iterable[Mapping[str, Any]]) -> MemorykitError:
    """Return the error for the first thing that broke a rule.

    `errors` are pydantic's, their places begun with `body`, `path`, `query` or `header` and the
    name of the parameter. A wrong shape is InvalidJson, a wrong value InvalidMemory.
    """
    found = next(iter(errors))
    origin, *place = found["loc"]
    in_body = origin == "body"
    kind = str(found["type"])
    field = _shown(place[1:] if in_body else place) or origin
    if kind in (fields.WRONG_TYPE, fields.WRONG_VALUE):
        rule = str(found["msg"])
    elif kind in _SHAPES:
        rule = _SHAPES[kind]
    else:
        rule = _VALUES.get(kind, "is not valid").format(**found.get("ctx", {}))
    if in_body and (kind == fields.WRONG_TYPE or kind in _SHAPES):
        return InvalidJson(field, rule)
    return InvalidMemory(field, rule)


def _shown(place: Iterable[str | int]) -> str:
    """Return a place such as `sources.0.ref`, blank when it cannot be told without content."""
    names = [_name(str(part)) for part in place]
    return ".".join(names) if all(names) else ""


def _name(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    known = {field for body in _bodies(fields.Body) for field in body.model_fields}
    return name if name.lower() in known else ""


def _bodies(base: type[fields.Body]) -> list[type[fields.Body]]:
    return [body for child in base.__subclasses__() for body in (child, *_bodies(child))]
