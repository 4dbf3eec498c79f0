"""Transcript format: chat messages as the common chat APIs export them, read strictly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memorykit_app.domain import strict_json
from memorykit_app.domain.errors import InvalidTranscript
from memorykit_app.domain.limits import Limits
from memorykit_app.domain.messages import Message
from memorykit_app.domain.strict_json import InvalidJson

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_WHOLE = "transcript"
_BOM = b"\xef\xbb\xbf"
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
# Other parts leave a note; a type outside this list may be content and is not repeated.
_KNOWN_PARTS = frozenset(
    {
        *("image", "image_url", "input_image", "audio", "input_audio", "output_audio", "file"),
        *("input_file", "video", "document", "refusal", "thinking", "redacted_thinking"),
        *("reasoning", "tool_use", "tool_result", "server_tool_use", "search_result"),
    }
)
_LAST_SECOND = 253_402_300_799
_CONTROL = re.compile("[\x00-\x1f\x7f]")
# Unicode normalisation takes quadratic time over one long run of combining marks.
_MAX_MARKS = 60
_HIGH_RUN = re.compile(f"[\u0300-\U0010ffff]{{{_MAX_MARKS + 1},}}")


def parse(data: bytes, *, limits: Limits) -> list[Message]:
    """Return the messages of JSON Lines, a JSON array, or an object with `messages`.

    Text parts are joined by newlines and NFC-normalised; another part leaves a note such as
    `[image omitted]`. Tool calls are checked for shape and left out, since nobody said them;
    a tool result takes the name of the function it answers. `created_at` is ISO 8601 with an
    offset, or epoch seconds. Raises InvalidTranscript naming the line or the field.
    """
    if len(data) > limits.transcript_bytes:
        rule = f"is larger than {limits.transcript_bytes} bytes; split it"
        raise InvalidTranscript(_WHOLE, rule)
    body = data.removeprefix(_BOM)
    if not body.strip():
        raise InvalidTranscript(_WHOLE, "is empty; send at least one message")
    numbered = _lines(body) if _is_lines(body) else _document(body, limits)
    messages: list[Message] = []
    calls: dict[str, str] = {}
    for where, raw in numbered:
        if len(messages) == limits.transcript_messages:
            rule = f"has more than {limits.transcript_messages} messages; split it"
            raise InvalidTranscript(_WHOLE, rule)
        messages.append(_message(len(messages), where, raw, limits, calls))
    return messages


def canonical(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the messages as JSON values for storage: index, role, text, name, created_at."""
    return [
        {
            "index": message.index,
            "role": message.role,
            "text": message.text,
            "name": message.name,
            "created_at": message.created_at.isoformat() if message.created_at else None,
        }
        for message in messages
    ]


def from_canonical(stored: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Return the messages that `canonical` wrote.

    Raises InvalidTranscript when the stored form is another one.
    """
    messages = []
    for position, row in enumerate(stored):
        try:
            created = row["created_at"]
            messages.append(
                Message(
                    index=row["index"],
                    role=row["role"],
                    text=row["text"],
                    name=row["name"],
                    created_at=datetime.fromisoformat(created) if created else None,
                )
            )
        except (KeyError, TypeError, ValueError):
            rule = "is not in the stored form; enqueue the transcript again"
            raise InvalidTranscript(f"messages[{position}]", rule) from None
    return messages


def _field(where: str, name: str) -> str:
    bare_line = where.startswith("line ") and "," not in where
    return f"{where}, {name}" if bare_line else f"{where}.{name}"


def _is_lines(body: bytes) -> bool:
    """Say whether the first line is a whole object that is not a `messages` document."""
    start = body.lstrip()
    if not start.startswith(b"{"):
        return False
    first, _, rest = start.partition(b"\n")
    text = first.decode("utf-8", "replace")
    try:
        complete = strict_json.check_depth(text) == 0
    except InvalidJson:
        return bool(rest.strip())
    return complete and (bool(rest.strip()) or b'"messages"' not in first)


def _lines(body: bytes) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(body.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = strict_json.loads(line, max_bytes=len(line))
        except InvalidJson as error:
            inner = "" if error.line else error.where
            place = f"column {error.column}" if error.column else inner
            where = _field(f"line {number}", place) if place else f"line {number}"
            raise InvalidTranscript(where, error.rule) from None
        yield f"line {number}", value


def _document(body: bytes, limits: Limits) -> Iterator[tuple[str, Any]]:
    try:
        value = strict_json.loads(body, max_bytes=limits.transcript_bytes)
    except InvalidJson as error:
        where = error.where
        if where.startswith("["):
            where = f"messages{where}"
        raise InvalidTranscript(where or _WHOLE, error.rule) from None
    if isinstance(value, dict):
        value = value.get("messages")
    if not isinstance(value, list):
        rule = "must be JSON Lines, a JSON array of messages or an object with messages"
        raise InvalidTranscript(_WHOLE, rule)
    if not value:
        raise InvalidTranscript("messages", "is empty; send at least one message")
    return ((f"messages[{index}]", item) for index, item in enumerate(value))


def _message(index: int, where: str, raw: Any, limits: Limits, calls: dict[str, str]) -> Message:
    if not isinstance(raw, dict):
        raise InvalidTranscript(where, "must be an object with role and content")
    role = raw.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise InvalidTranscript(_field(where, "role"), f"must be one of {', '.join(ROLES)}")
    called = _tool_calls(raw, where, limits, calls)
    answered = _word(raw, "tool_call_id", where, limits)
    name = _word(raw, "name", where, limits) or calls.get(answered, "")
    return Message(
        index=index,
        role=role,
        text=_text(raw, where, optional=called or role == "assistant"),
        name=name,
        created_at=_moment(raw.get("created_at"), _field(where, "created_at")),
    )


def _tool_calls(raw: dict[str, Any], where: str, limits: Limits, calls: dict[str, str]) -> bool:
    listed = raw.get("tool_calls")
    if listed is None:
        return isinstance(raw.get("function_call"), dict)
    field = _field(where, "tool_calls")
    if not isinstance(listed, list):
        raise InvalidTranscript(field, "must be a list")
    for position, call in enumerate(listed):
        place = f"{field}[{position}]"
        if not isinstance(call, dict):
            raise InvalidTranscript(place, "must be an object")
        function = call.get("function", {})
        if not isinstance(function, dict):
            raise InvalidTranscript(f"{place}.function", "must be an object")
        if identity := _word(call, "id", place, limits):
            calls[identity] = _word(function, "name", place, limits)
    return bool(listed)


def _word(raw: dict[str, Any], name: str, where: str, limits: Limits) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    field = _field(where, name)
    if not isinstance(value, str) or _CONTROL.search(value):
        raise InvalidTranscript(field, "must be one line of text")
    if len(value) > limits.metadata_chars:
        raise InvalidTranscript(field, f"must have at most {limits.metadata_chars} characters")
    return _normal(value.strip(), field)


def _text(raw: dict[str, Any], where: str, *, optional: bool) -> str:
    content = raw.get("content")
    field = _field(where, "content")
    if isinstance(content, str):
        return _normal(content, field)
    if content is None and optional:
        return ""
    if not isinstance(content, list):
        raise InvalidTranscript(field, "must be text or a list of parts")
    parts = (_part(part, f"{field}[{position}]") for position, part in enumerate(content))
    return _normal("\n".join(parts), field)


def _part(part: Any, field: str) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise InvalidTranscript(field, "must be text or an object with a type")
    if part["type"] not in _TEXT_PARTS:
        return f"[{part['type'] if part['type'] in _KNOWN_PARTS else 'part'} omitted]"
    if not isinstance(part.get("text"), str):
        raise InvalidTranscript(f"{field}.text", "must be text")
    return str(part["text"])


def _normal(text: str, field: str) -> str:
    for run in _HIGH_RUN.finditer(text):
        marks = 0
        for character in run.group():
            marks = marks + 1 if unicodedata.combining(character) else 0
            if marks > _MAX_MARKS:
                rule = f"has more than {_MAX_MARKS} combining marks in a row; remove them"
                raise InvalidTranscript(field, rule)
    return unicodedata.normalize("NFC", text)


def _moment(value: Any, field: str) -> datetime | None:
    if value is None:
        return None
    rule = "must be ISO 8601 with an offset, such as 2026-03-04T10:00:00Z, or epoch seconds"
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment.astimezone(UTC)
            if moment.tzinfo is not None:
                return moment
        elif isinstance(value, int | float) and not isinstance(value, bool):
            if 0 <= value <= _LAST_SECOND:
                return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidTranscript(field, rule)
