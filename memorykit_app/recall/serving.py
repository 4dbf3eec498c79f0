"""Serving: found records become items, read last so that nothing stale is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol
from uuid import UUID

from memorykit_app.domain.errors import InvalidRecallResult
from memorykit_app.domain.states import Kind, Provenance
from memorykit_app.recall import packing
from memorykit_app.recall.fusion import Fused
from memorykit_app.recall.result import RecallItem
from memorykit_app.recall.rows import Row

Count = Callable[[str], int]


class Reads(Protocol):
    def read(self, ids: Sequence[UUID]) -> list[Row]:
        """Return the rows of these records as they may be shown."""


def items(
    ordered: Sequence[Fused], search: Reads, *, at_once: int, count: Count
) -> Iterator[RecallItem]:
    """Yield the records in order, read `at_once` of them at a time.

    One that left the scope's active records or changed since it was ranked is not yielded.
    Raises InvalidRecallResult for a row that breaks a rule, and what reading raises.
    """
    for start in range(0, len(ordered), at_once):
        part = ordered[start : start + at_once]
        rows = {row[0]: row for row in search.read([entry.memory_id for entry in part])}
        for entry in part:
            row = rows.get(entry.memory_id)
            if row is not None and row[1] == entry.candidate.version:
                yield _item(entry, row, count)


def _item(entry: Fused, row: Row, count: Count) -> RecallItem:
    (
        memory_id,
        version,
        kind,
        key,
        content,
        importance,
        confidence,
        valid_from,
        valid_until,
        provenance,
        pinned,
        source_refs,
    ) = row
    sound = (
        kind in Kind.__members__.values()
        and provenance in Provenance.__members__.values()
        and key.strip()
        and content.strip()
        and 0 <= importance <= 100
        and math.isfinite(confidence)
        and 0 <= confidence <= 1
        and _ordered(valid_from, valid_until)
        and all(ref.strip() for ref in source_refs)
    )
    if not sound:
        raise InvalidRecallResult
    cost = count(
        packing.canonical(memory_id, kind=kind, key=key, content=content, source_refs=source_refs)
    )
    if type(cost) is not int or cost < 0:
        raise InvalidRecallResult
    return RecallItem(
        memory_id=memory_id,
        version=version,
        kind=kind,
        key=key,
        content=content,
        score=entry.score,
        ranks=MappingProxyType(dict(entry.candidate.ranks)),
        tokens=cost,
        valid_from=valid_from,
        valid_until=valid_until,
        provenance=provenance,
        pinned=pinned,
        source_refs=tuple(source_refs),
    )


def _ordered(valid_from: datetime, valid_until: datetime | None) -> bool:
    return valid_until is None or valid_from < valid_until
