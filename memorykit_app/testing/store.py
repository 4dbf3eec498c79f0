"""The store under test: what the conformance cases ask for, and memorykit's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Provenance, State
from memorykit_app.recall.policy import build
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.rows import FULL_TEXT
from memorykit_app.recall.search import recall
from memorykit_app.services import correction, creation, erasure, memories, reading
from memorykit_app.services.correction import Correction
from memorykit_app.services.lifecycle import Command

_RULE = "matched-terms-v1"
# Conformance is not about speed.
_PATIENCE_MS = 60_000


class Store(ABC):
    """A store; records have the attributes of `models.Memory`, errors those of `domain.errors`."""

    @abstractmethod
    def create(
        self, draft: Draft, asked: Command, *, state: State, memory_id: UUID, idempotency_key: str
    ) -> Any: ...

    @abstractmethod
    def change(self, verb: str, memory_id: UUID, asked: Command) -> Any:
        """Activate, dismiss or forget."""

    @abstractmethod
    def correct(self, memory_id: UUID, asked: Command, words: Correction) -> Any: ...

    @abstractmethod
    def erase(self, memory_id: UUID, asked: Command) -> None: ...

    @abstractmethod
    def get(self, memory_id: UUID, scope: Scope) -> Any: ...

    @abstractmethod
    def sources(self, memory_id: UUID, scope: Scope) -> Sequence[Any]: ...

    @abstractmethod
    def active(self, scope: Scope) -> Sequence[Any]: ...

    @abstractmethod
    def revisions(
        self, memory_id: UUID, scope: Scope, *, before_version: int = 0
    ) -> Sequence[Any]: ...


class SearchableStore(Store):
    """A store that finds by words."""

    @abstractmethod
    def full_text(self, question: str, scope: Scope) -> Sequence[UUID]:
        """Return the ids that the words find by the rule of matched terms, best first."""


@dataclass(frozen=True, slots=True)
class ServiceStore(Store):
    """memorykit's own services; `by` may do everything in the scopes of the cases."""

    by: Principal = field(default_factory=lambda: Principal.operator("conformance"))
    now: datetime = datetime(2031, 1, 2, tzinfo=UTC)

    def create(
        self, draft: Draft, asked: Command, *, state: State, memory_id: UUID, idempotency_key: str
    ) -> Any:
        return creation.create(
            draft,
            scope=asked.scope,
            by=asked.by,
            provenance=Provenance.USER_REQUESTED,
            now=asked.now,
            state=state,
            memory_id=memory_id,
            idempotency_key=idempotency_key,
            reason=asked.reason,
        )

    def change(self, verb: str, memory_id: UUID, asked: Command) -> Any:
        verbs = {
            "activate": memories.activate,
            "dismiss": memories.dismiss,
            "forget": memories.forget,
        }
        return verbs[verb](memory_id, asked)

    def correct(self, memory_id: UUID, asked: Command, words: Correction) -> Any:
        return correction.correct(memory_id, asked, words)

    def erase(self, memory_id: UUID, asked: Command) -> None:
        erasure.erase(memory_id, asked)

    def get(self, memory_id: UUID, scope: Scope) -> Any:
        return reading.read(memory_id, scope=scope, by=self.by, now=self.now)[0]

    def sources(self, memory_id: UUID, scope: Scope) -> Sequence[Any]:
        return reading.read(memory_id, scope=scope, by=self.by, now=self.now)[1]

    def active(self, scope: Scope) -> Sequence[Any]:
        found = reading.list_memories(scope=scope, by=self.by, now=self.now, limit=100)
        return [memory for memory, _ in found]

    def revisions(self, memory_id: UUID, scope: Scope, *, before_version: int = 0) -> Sequence[Any]:
        return reading.revisions(
            memory_id, scope=scope, by=self.by, limit=100, before_version=before_version
        )


@dataclass(frozen=True, slots=True)
class SearchableServiceStore(ServiceStore, SearchableStore):
    """memorykit's own recall; `past` asks it for what was known at its `now`.

    What is known is found in SQL, what was known in Python: they must agree.
    """

    past: bool = False

    def full_text(self, question: str, scope: Scope) -> Sequence[UUID]:
        asked = RecallQuery(text=question, known_at=self.now if self.past else None)
        rules = build({"PRESET": _RULE, "VERSION": "conformance", "DEADLINE_MS": _PATIENCE_MS})
        found = recall(asked, scope=scope, by=self.by, now=self.now, explain=True, rules=rules)
        ranks = {entry.memory_id: entry.ranks.get(FULL_TEXT) for entry in found.explained}
        return sorted((name for name in ranks if ranks[name]), key=lambda name: ranks[name] or 0)
