"""Windows of a transcript: parts of at most so many tokens that overlap at message borders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memorykit_app.backends.base import TokenCounter
from memorykit_app.backends.rules_text import without_views
from memorykit_app.domain.messages import Message

# Instructions to the model by its host: rules of one run, not things to remember.
HOST_ROLES = frozenset({"system", "developer"})
# Around the words of a message: its number, role, name and time.
_FRAME_TOKENS = 40
# Of a window, for what was said just before it.
_OVERLAP_SHARE = 0.15
_MOST_OVERLAP = 4


@dataclass(frozen=True, slots=True)
class Part:
    """A message as a window shows it: whole, or a piece of one that fits no window."""

    message: Message
    text: str
    tokens: int


Window = tuple[Part, ...]


def windows(messages: Sequence[Message], counter: TokenCounter, *, budget: int) -> Iterator[Window]:
    """Yield windows of at most `budget` tokens, each with the end of the one before.

    Messages of the host, memory views inserted earlier and blank messages are left out.
    """
    held: list[Part] = []
    size = fresh = 0
    for part in _parts(messages, counter, budget):
        if fresh and size + part.tokens > budget:
            yield tuple(held)
            held = _end_of(held, min(budget * _OVERLAP_SHARE, budget - part.tokens))
            size, fresh = sum(one.tokens for one in held), 0
        held.append(part)
        size += part.tokens
        fresh += 1
    if fresh:
        yield tuple(held)


def halves(window: Window, counter: TokenCounter) -> tuple[Window, ...]:
    """Return the window in two, or in one when there is nothing to cut."""
    if len(window) > 1:
        middle = len(window) // 2
        return window[:middle], window[middle:]
    (part,) = window
    if part.tokens <= _FRAME_TOKENS * 2:
        return (window,)
    room = (part.tokens - _FRAME_TOKENS) // 2 + 1
    return tuple((piece,) for piece in _pieces(part, counter, room + _FRAME_TOKENS))


def _parts(messages: Sequence[Message], counter: TokenCounter, budget: int) -> Iterator[Part]:
    for message in messages:
        text = without_views(message.text)
        if message.role in HOST_ROLES or not text.strip():
            continue
        part = Part(message, text, _cost(text, counter))
        if part.tokens <= budget:
            yield part
        else:
            yield from _pieces(part, counter, budget)


def _pieces(part: Part, counter: TokenCounter, budget: int) -> Iterator[Part]:
    """Cut one message at lines or words so that each piece takes at most `budget` tokens."""
    text = part.text
    # Characters that are likely to fit; what does not is cut once more.
    length = max(1, len(text) * max(1, budget - _FRAME_TOKENS) // part.tokens)
    start = 0
    while start < len(text):
        end = _border(text, start, min(len(text), start + length))
        tokens = _cost(text[start:end], counter)
        if tokens > budget and end - start > 1:
            length = max(1, (end - start) * 3 // 4)
            continue
        if text[start:end].strip():
            yield replace(part, text=text[start:end], tokens=tokens)
        start = end


def _border(text: str, start: int, end: int) -> int:
    """Return the end of the last line, sentence or word in the second half of a piece."""
    if end == len(text):
        return end
    for mark in ("\n", "。", ". ", " "):
        found = text.rfind(mark, start + (end - start) // 2, end)
        if found >= 0:
            return found + len(mark)
    return end


def _end_of(parts: Sequence[Part], room: float) -> list[Part]:
    start = len(parts)
    while start > 0 and len(parts) - start < _MOST_OVERLAP:
        room -= parts[start - 1].tokens
        if room < 0:
            break
        start -= 1
    return list(parts[start:])


def _cost(text: str, counter: TokenCounter) -> int:
    # As it is sent: quotes and line breaks take a character more.
    return counter.count(json.dumps(text, ensure_ascii=False)) + _FRAME_TOKENS
