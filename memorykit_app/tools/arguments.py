"""Arguments: what a model may pass to each tool, closed and strict, and their JSON schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from memorykit_app.domain import strict_json, validation
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.states import Kind
from memorykit_app.domain.strict_json import InvalidJson
from memorykit_app.models import Verdict

A = TypeVar("A", bound="Arguments")
_MOST_BYTES = 256 * 1_024
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_TYPE, _VALUE = "memorykit_type", "memorykit_value"
#: Only a name that reads like a field may stand in an error: any other could be content.
_PLAIN_NAME = re.compile(r"[a-z_]{1,32}")
_RULES = {
    "missing": "is missing",
    "extra_forbidden": "is not an argument of this tool",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "string_too_short": "must not be blank",
    "string_too_long": "is too long",
    "greater_than_equal": "must be 1 or more",
    "less_than_equal": "is too large",
}
_SHAPES = frozenset({_TYPE, "missing", "extra_forbidden", "string_type", "int_type", "list_type"})


class Arguments(BaseModel):
    """Exactly these arguments, of exactly these types; null is as good as left out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


def _chosen(members: type[Kind] | type[Verdict]) -> BeforeValidator:
    def read(value: Any) -> Any:
        if value is None or isinstance(value, members):
            return value
        if not isinstance(value, str) or value not in members.__members__.values():
            raise PydanticCustomError(_VALUE, f"must be one of {', '.join(members)}")
        return members(value)

    return BeforeValidator(read)


def _identifier(value: Any) -> UUID:
    if isinstance(value, str) and re.fullmatch(_UUID, value):
        return UUID(value)
    raise PydanticCustomError(_VALUE, "must be a UUID in lower case")


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        pass
    raise PydanticCustomError(_VALUE, "must be a time with its zone, such as 2031-01-01T12:00:00Z")


def _distinct(value: Any) -> Any:
    if isinstance(value, list) and len({str(part) for part in value}) != len(value):
        raise PydanticCustomError(_VALUE, "must not name the same twice")
    return value


def _said(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError(_VALUE, "must not be blank")
    return value


_KIND = {"type": "string", "enum": list(Kind)}
Words = Annotated[
    str, Field(min_length=1), BeforeValidator(lambda v: _said(v) if isinstance(v, str) else v)
]
KindWord = Annotated[Kind, _chosen(Kind), WithJsonSchema(_KIND)]
Kinds = Annotated[
    list[KindWord] | None,
    BeforeValidator(_distinct),
    WithJsonSchema({"type": "array", "items": _KIND, "uniqueItems": True}),
]
Identifier = Annotated[
    UUID, BeforeValidator(_identifier), WithJsonSchema({"type": "string", "format": "uuid"})
]
Until = Annotated[
    datetime | None,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Key = Annotated[str | None, Field(min_length=1), WithJsonSchema({"type": "string", "minLength": 1})]
Why = Annotated[Words, Field(max_length=validation.NOTE_CHARS)]
Version = Annotated[int, Field(ge=1, le=2_147_483_647)]


class Search(Arguments):
    query: Annotated[Words, Field(description="What to look for, in plain words.")]
    key: Annotated[Key, Field(description="An exact key, if you know it.")] = None
    kinds: Annotated[Kinds, Field(description="Only records of these kinds.")] = None


class Read(Arguments):
    memory_id: Annotated[Identifier, Field(description="The id of a record.")]


class Remember(Arguments):
    kind: Annotated[KindWord, Field(description="What sort of record it is.")]
    key: Annotated[Words, Field(description="A short dotted name, such as build.test_command.")]
    content: Annotated[Words, Field(description="What to remember, as a statement of its own.")]
    reason: Annotated[Why, Field(description="Why, for the person who reviews it.")]
    valid_until: Annotated[Until, Field(description="When it stops being true, if known.")] = None


class Correct(Arguments):
    memory_id: Annotated[Identifier, Field(description="The id of the record.")]
    version: Annotated[Version, Field(description="The version that read_memory gave.")]
    content: Annotated[Words, Field(description="The whole new text.")]
    reason: Annotated[Why, Field(description="Why, for the person who reviews it.")]
    valid_until: Annotated[Until, Field(description="When it stops being true, if known.")] = None


class Forget(Arguments):
    memory_id: Annotated[Identifier, Field(description="The id of the record.")]
    version: Annotated[Version, Field(description="The version that read_memory gave.")]
    reason: Annotated[Why, Field(description="Why, for the person who reviews it.")]


class Judge(Arguments):
    memory_id: Annotated[Identifier, Field(description="The id of the record.")]
    verdict: Annotated[
        Verdict,
        _chosen(Verdict),
        WithJsonSchema({"type": "string", "enum": list(Verdict)}),
        Field(description="What the record was worth for the task."),
    ]


class Status(Arguments):
    memory_id: Annotated[Identifier, Field(description="The id that a write of yours gave.")]


def parse(shape: type[A], given: str | bytes | Mapping[str, Any]) -> A:
    """Return the arguments: JSON as the model wrote it, or parsed already.

    Raises InvalidJson for a wrong shape and InvalidMemory for a wrong value, with the field as
    `arguments.<name>` and never what was passed.
    """
    if isinstance(given, str | bytes):
        data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
        given = strict_json.loads(data, max_bytes=_MOST_BYTES)
    if not isinstance(given, Mapping):
        raise InvalidJson("arguments", "must be an object")
    try:
        return shape.model_validate(dict(given))
    except ValidationError as error:
        raise _refusal(error, shape) from None


def schema(shape: type[Arguments]) -> dict[str, Any]:
    """Return the closed JSON schema of the arguments, without titles or references."""
    whole = shape.model_json_schema()
    properties = {}
    for name, given in whole["properties"].items():
        properties[name] = {
            key: value for key, value in given.items() if key not in ("title", "default")
        }
    return {
        "type": "object",
        "properties": properties,
        "required": whole.get("required", []),
        "additionalProperties": False,
    }


def _refusal(error: ValidationError, shape: type[Arguments]) -> Exception:
    found = error.errors(include_input=False, include_url=False)[0]
    name, kind = str(found["loc"][0]) if found["loc"] else "", str(found["type"])
    known = {field.lower() for field in shape.model_fields}
    shown = name if _PLAIN_NAME.fullmatch(name) or name.lower() in known else ""
    field = f"arguments.{shown}" if shown else "arguments"
    rule = found["msg"] if kind in (_TYPE, _VALUE) else _RULES.get(kind, "is not valid")
    return InvalidJson(field, rule) if kind in _SHAPES else InvalidMemory(field, rule)
