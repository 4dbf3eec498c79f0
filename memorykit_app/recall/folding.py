"""Folding: of records that say the same, the best one is enough. Pure but for its memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from memorykit_app.domain import terms
from memorykit_app.recall.result import RecallItem


class Folds:
    """Passes items on and keeps back those whose terms an earlier one had, to a share.

    The share is that of the terms of both. Records with other numbers are never the same. 0
    passes everything on. `folded` names what was kept back, in order.
    """

    def __init__(self, share: float) -> None:
        self.folded: list[UUID] = []
        self._share = share
        self._seen: list[tuple[frozenset[str], frozenset[str]]] = []

    def distinct(self, items: Iterable[RecallItem]) -> Iterator[RecallItem]:
        for item in items:
            if self._share and self._is_known(item):
                self.folded.append(item.memory_id)
            else:
                yield item

    def _is_known(self, item: RecallItem) -> bool:
        words = frozenset(terms.terms(item.content))
        numbers = frozenset(word for word in words if any(char.isdigit() for char in word))
        for seen, other in self._seen:
            if numbers == other and len(words & seen) >= self._share * len(words | seen):
                return bool(words)
        self._seen.append((words, numbers))
        return False
