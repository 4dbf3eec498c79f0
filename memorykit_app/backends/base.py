"""Ports: what a plugged part must offer. Built-in parts live beside this file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.messages import Message
from memorykit_app.domain.scope import Scope


class Backend(ABC):
    """A plugged part. Options arrive as keyword arguments of the constructor."""

    #: A double for tests: a deploy check refuses it.
    for_tests = False

    def problems(self) -> list[str]:
        """Return what keeps this part from working, one sentence each; empty when ready."""
        return []


class Embedder(Backend):
    """Turns text into unit-length vectors.

    `dimension` is the length of every vector; `batch_size` the most texts per call.
    """

    dimension: int
    batch_size: int = 32

    @abstractmethod
    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in order. Raises BackendError."""

    @abstractmethod
    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a question. Raises BackendError."""


class Extractor(Backend):
    """Reads a finished transcript and drafts what may be worth remembering.

    `id` is short and content-free; it becomes part of the candidate's actor.
    """

    id: str

    @abstractmethod
    def extract(
        self, messages: Sequence[Message], *, now: datetime, limit: int
    ) -> list[ExtractedDraft]:
        """Return at most `limit` drafts in transcript order; none is a valid answer.

        Raises BackendError when the part failed, recoverable or not.
        """


class Severity(StrEnum):
    REFUSE = "refuse"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that a field met; `field` and `rule` are codes, never the text."""

    field: str
    rule: str
    severity: Severity


class ContentValidator(Backend):
    """Looks at every text that is about to be stored."""

    @abstractmethod
    def findings(self, fields: Mapping[str, str]) -> list[Finding]:
        """Return what the named texts meet, worst first. Never raises on hostile text."""


class TokenCounter(Backend):
    @abstractmethod
    def count(self, text: str) -> int:
        """Return the tokens of `text`, at least 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a verb is about, in plain values; blank where it is about the scope itself."""

    state: str = ""
    created_by: str = ""
    source_agent: str = ""


class Authorizer(Backend):
    """Decides who may do what. Only the value True allows, and only in time.

    It is asked in a thread of its own, outside the caller's transaction; no answer within
    MEMORYKIT[AUTHORIZER_SECONDS] is a refusal.
    """

    #: It asks nobody but this database, in the caller's transaction, so it cannot hang alone.
    asks_this_database = False

    @abstractmethod
    def allows(self, principal: Principal, verb: str, scope: Scope, target: Target) -> bool: ...


class Observer(Backend):
    """Hears of content-free events: codes, ids and counts."""

    @abstractmethod
    def notify(self, event: str, fields: Mapping[str, str | int | float]) -> None: ...


class Clock(Backend):
    @abstractmethod
    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
