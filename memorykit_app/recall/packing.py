"""Packing: the best items that fit the budget; what does not fit is skipped and named. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID


class Costly(Protocol):
    """Something that takes room."""

    @property
    def memory_id(self) -> UUID: ...
    @property
    def tokens(self) -> int: ...


T = TypeVar("T", bound=Costly)


@dataclass(frozen=True, slots=True)
class Packed(Generic[T]):
    """What goes in, in order, and what was too large for the room that was left."""

    kept: tuple[T, ...]
    too_large: tuple[T, ...]


def pack(best_first: Iterable[T], *, items: int, tokens: int, first: Sequence[T] = ()) -> Packed[T]:
    """Return `first` and then the others while they fit; each record once.

    One that costs more than what is left is skipped, so that a smaller one behind it may still
    go in. The iterable is read no further than needed.
    """
    kept: list[T] = []
    too_large: list[T] = []
    seen: set[UUID] = set()
    left = tokens
    for entry in _once(first, best_first, seen):
        if entry.tokens > left:
            too_large.append(entry)
            continue
        kept.append(entry)
        left -= entry.tokens
        if len(kept) == items:
            break
    return Packed(tuple(kept), tuple(too_large))


def canonical(
    memory_id: UUID, *, kind: str, key: str, content: str, source_refs: Sequence[str]
) -> str:
    """Return the JSON by which an item's cost is counted."""
    return json.dumps(
        {
            "id": str(memory_id),
            "kind": kind,
            "key": key,
            "content": content,
            "source_refs": sorted(set(source_refs)),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _once(first: Iterable[T], then: Iterable[T], seen: set[UUID]) -> Iterator[T]:
    for part in (first, then):
        for entry in part:
            if entry.memory_id not in seen:
                seen.add(entry.memory_id)
                yield entry
