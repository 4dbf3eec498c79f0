"""Fields: the types that bodies, paths and queries are made of, read strictly."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from memorykit_app.domain.states import Kind

#: Types of errors whose message is our own and may be shown.
WRONG_TYPE, WRONG_VALUE = "memorykit_type", "memorykit_value"

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_REASON = "[a-z0-9][a-z0-9_.-]{0,63}"


class Body(BaseModel):
    """A closed body: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


def _identifier(value: Any) -> UUID:
    if isinstance(value, str) and re.fullmatch(_UUID, value):
        return UUID(value)
    raise PydanticCustomError(WRONG_VALUE, "must be a UUID in lower case")


def _moment(value: Any) -> datetime:
    rule = "must be a time with its zone, such as 2031-01-01T12:00:00Z"
    if not isinstance(value, str):
        raise PydanticCustomError(WRONG_TYPE, rule)
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise PydanticCustomError(WRONG_VALUE, rule)


def _present(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError(WRONG_TYPE, "must not be null; leave it out instead")
    return value


def _whole(value: Any) -> int:
    """Read a number from a query, where everything is text."""
    if isinstance(value, str) and re.fullmatch("[1-9][0-9]{0,8}", value):
        return int(value)
    raise PydanticCustomError(WRONG_VALUE, "must be a whole number above 0")


def _kind(value: Any) -> Kind:
    rule = f"must be one of {', '.join(Kind)}"
    if not isinstance(value, str) or value not in Kind.__members__.values():
        raise PydanticCustomError(WRONG_TYPE, rule)
    return Kind(value)


def _reason(value: Any) -> str:
    rule = "must be a code such as not_in_source; words go to note"
    if not isinstance(value, str):
        raise PydanticCustomError(WRONG_TYPE, rule)
    if not re.fullmatch(_REASON, value):
        raise PydanticCustomError(WRONG_VALUE, rule)
    return value


def _shown(read: Callable[[Any], Any], **schema: Any) -> tuple[BeforeValidator, WithJsonSchema]:
    return BeforeValidator(read), WithJsonSchema(schema)


_KINDS = {"type": "string", "enum": list(Kind)}
_MOMENT = {"type": "string", "format": "date-time"}

Identifier = Annotated[
    UUID, *_shown(_identifier, type="string", format="uuid", pattern=f"^{_UUID}$")
]
OptionalMoment = Annotated[datetime | None, *_shown(_moment, **_MOMENT)]
KindField = Annotated[Kind, *_shown(_kind, **_KINDS)]
OptionalKind = Annotated[Kind | None, *_shown(_kind, **_KINDS)]
Reason = Annotated[str, *_shown(_reason, type="string", pattern=f"^{_REASON}$")]
Importance = Annotated[int, Field(ge=0, le=100)]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
OptionalCount = Annotated[int | None, Field(gt=0), *_shown(_present, type="integer", minimum=1)]
OptionalText = Annotated[str | None, *_shown(_present, type="string")]
QueryCount = Annotated[int | None, *_shown(_whole, type="integer", minimum=1)]
