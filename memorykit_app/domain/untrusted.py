"""Untrusted text: recalled records as JSON that can neither close a fence nor hide a sign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from memorykit_app.domain import visible

# What could close an element, begin a special token of a model, or end a line outside JSON.
_MARKS = re.compile("[<>&\u0085\u2028\u2029]")


def as_json(value: object) -> str:
    """Return the value as one line of JSON in which only plain, visible signs stand.

    `<`, `>`, `&` and every control, bidirectional, invisible or unassigned character are
    written as escapes, so that the text reads back unchanged and does nothing where it stands.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _MARKS.sub(_escaped, text)
    if text.isascii() or not visible.holds_hidden(text):
        return text.replace("\x7f", "\\u007f")
    return "".join(
        _escape(piece.text) if piece.label else piece.text for piece in visible.pieces(text)
    )


def record(
    memory_id: object, *, kind: str, key: str, content: str, source_refs: Iterable[str]
) -> dict[str, Any]:
    """Return a record as a model may see it; the source references sorted, each once."""
    return {
        "id": str(memory_id),
        "kind": str(kind),
        "key": key,
        "content": content,
        "source_refs": sorted(set(source_refs)),
    }


def records(items: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Return recalled items as a model may see them, in their order."""
    return [
        record(
            item.memory_id,
            kind=item.kind,
            key=item.key,
            content=item.content,
            source_refs=item.source_refs,
        )
        for item in items
    ]


def _escaped(found: re.Match[str]) -> str:
    return _escape(found[0])


def _escape(character: str) -> str:
    """Return a JSON escape; beyond the basic plane it takes two."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2)
    )
