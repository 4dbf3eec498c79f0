"""The question: what the last user message and the host's metadata ask memory. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.projection import block
from memorykit_app.recall.query import RecallQuery

TAGS: Final = "memory.query_tags"
KEYS: Final = "memory.query_keys"
KINDS: Final = "memory.query_kinds"
#: Asked for when nothing was said, as with a picture alone: then only pinned records come.
NOTHING: Final = "memory.nothing_asked"
_UNREADABLE = re.compile("[\0\ud800-\udfff]")


def build(
    messages: Sequence[Mapping[str, Any]],
    metadata: Mapping[str, Any],
    *,
    most_chars: int,
    items: int | None = None,
    tokens: int | None = None,
) -> RecallQuery:
    """Return the question: the last user message and the sorted tags, joined by newlines.

    Of a longer text the last `most_chars` characters are asked. Raises InvalidMemory naming the
    wrong metadata.
    """
    last = last_user(messages)
    words = [] if last is None else [block.text_of(messages[last])]
    text = "\n".join([*words, *sorted(_texts(metadata, TAGS))])
    text = _UNREADABLE.sub(" ", text)[-most_chars:]
    keys = tuple(_texts(metadata, KEYS))
    if not text.strip() and not keys:
        keys = (NOTHING,)
    return RecallQuery(
        text=text,
        keys=keys,
        kinds=tuple(_texts(metadata, KINDS)),
        items=items,
        tokens=tokens,
    )


def last_user(messages: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the place of the last message of the user, or None."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at]["role"] == block.ROLE and not _only_results(messages[at]):
            return at
    return None


def _only_results(given: Mapping[str, Any]) -> bool:
    """Tell whether a message only carries tool results back: nobody said anything in it.

    It must follow the call that it answers, so nothing may be put before it either.
    """
    content = given.get("content")
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    )


def _texts(metadata: Mapping[str, Any], name: str) -> list[str]:
    value = metadata.get(name, [])
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise InvalidMemory(name, "must be a list of texts")
    return value
