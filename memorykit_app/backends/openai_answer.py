"""The answer of a chat model: taken apart, checked, and tied to the words it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from memorykit_app import conf
from memorykit_app.backends import openai_prompt
from memorykit_app.backends.transcript_windows import Part
from memorykit_app.domain import strict_json, validation
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.states import Kind

#: What a draft is worth whose quote nobody said: a reviewer looks, and nothing is certain.
UNPROVEN = 0.3
MAX_CHARS = 1_000_000
_MOST_FAULTS = 20
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.S)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)(?:\n\s*```|\Z)", re.S)
_SPACES = re.compile(r"\s+")


class Ending(StrEnum):
    """How an answer ended."""

    WHOLE = "whole"
    CUT = "cut"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Answer:
    """The words of a chat completion and how they ended."""

    ending: Ending
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The drafts of an answer and what is wrong with the rest, in words without content."""

    drafts: tuple[ExtractedDraft, ...]
    faults: tuple[str, ...]


def answer(completion: Mapping[str, Any]) -> Answer | None:
    """Return the answer in a chat completion, or None for what is not a completion."""
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    content = message.get("content")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return Answer(Ending.REFUSED, "")
    if content is not None and not isinstance(content, str):
        return None
    ending = Ending.CUT if choice.get("finish_reason") == "length" else Ending.WHOLE
    return Answer(ending, content or "")


def read(text: str, window: Sequence[Part]) -> Reading:
    """Return what an answer proposes about a window; what breaks a rule is a fault.

    A quote that another message of the window holds moves there; one that differs only in
    space becomes exact. One that nobody said leaves its draft at most UNPROVEN confidence,
    with the quote as given, so that the service flags it.
    """
    try:
        value = strict_json.loads(_json_of(text), max_bytes=MAX_CHARS * 4)
    except strict_json.InvalidJson as error:
        return Reading((), (str(error),))
    if not isinstance(value, dict) or set(value) != {"candidates"}:
        return Reading((), ('the answer must be an object with the one field "candidates"',))
    if not isinstance(value["candidates"], list):
        return Reading((), ("candidates: must be a list",))
    said = _said(window)
    drafts: list[ExtractedDraft] = []
    faults: list[str] = []
    for number, item in enumerate(value["candidates"]):
        try:
            drafts.append(_draft(item, said))
        except InvalidMemory as error:
            faults.append(f"candidates[{number}].{error}")
    return Reading(tuple(drafts), tuple(faults[:_MOST_FAULTS]))


def _json_of(text: str) -> str:
    """Return the JSON in an answer that also thinks aloud or stands in a fence."""
    text = _THOUGHT.sub("", text).strip()
    if text[:1] not in ("{", "["):
        if fenced := _FENCE.search(text):
            return fenced[1]
    return text


def _said(window: Sequence[Part]) -> dict[int, str]:
    """Return the words of each message that the window shows, by index."""
    said: dict[int, str] = {}
    for part in window:
        index = part.message.index
        said[index] = said[index] + part.text if index in said else part.text
    return said


def _draft(item: object, said: Mapping[int, str]) -> ExtractedDraft:
    if not isinstance(item, dict):
        raise InvalidMemory("item", "must be an object")
    if set(item) != openai_prompt.FIELDS:
        fields = ", ".join(sorted(openai_prompt.FIELDS))
        raise InvalidMemory("item", f"must have exactly the fields {fields}")
    limits = conf.settings().limits
    if item["kind"] not in Kind.__members__.values():
        raise InvalidMemory("kind", f"must be one of {', '.join(Kind)}")
    valid_from = _moment("valid_from", item["valid_from"])
    valid_until = _moment("valid_until", item["valid_until"])
    if valid_from and valid_until and valid_until <= valid_from:
        raise InvalidMemory("valid_until", "must be later than valid_from")
    confidence = validation.confidence(item["confidence"])
    quote, index, proven = _place(item["quote"], item["message_index"], said)
    return ExtractedDraft(
        kind=Kind(item["kind"]),
        key=validation.key(item["key"], limits),
        content=validation.content(item["content"], limits),
        quote=quote,
        message_index=index,
        valid_from=valid_from,
        valid_until=valid_until,
        importance=validation.importance(_whole(item["importance"])),
        confidence=confidence if proven else min(confidence, UNPROVEN),
    )


def _whole(value: object) -> object:
    # Some models write 70.0 where a whole number is asked for.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _moment(field: str, value: object) -> datetime | None:
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value if isinstance(value, str) else "")
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidMemory(field, "must be an ISO 8601 time with its zone, or null") from None


def _place(quote: object, index: object, said: Mapping[int, str]) -> tuple[str, int, bool]:
    """Return the quote, the message it stands in, and whether it stands there."""
    if not isinstance(quote, str) or not quote.strip():
        raise InvalidMemory("quote", "must be the words it rests on")
    if len(quote) > (most := conf.settings().limits.quote_chars):
        raise InvalidMemory("quote", f"must have at most {most} characters")
    if type(index) is not int:
        raise InvalidMemory("message_index", "must be a whole number")
    # The named message first, then the nearest.
    for place in sorted(said, key=lambda number: (abs(number - index), number)):
        if exact := _exact(quote, said[place]):
            return exact, place, True
    if index not in said:
        raise InvalidMemory("message_index", "must be the index of a message that is shown")
    return quote, index, False


def _exact(quote: str, text: str) -> str:
    """Return the quote as the text has it, or blank. Only space may differ."""
    if quote in text:
        return quote
    words = [re.escape(word) for word in _SPACES.split(quote.strip())]
    found = re.search(r"\s+".join(words), text)
    return found.group() if found else ""
