"""Projection: one question to recall, one more message in the prompt, and marks of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

from memorykit_app import backends
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    BackendError,
    InvalidMemory,
    MemorykitError,
    ScopeRequired,
    Unavailable,
)
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Entry
from memorykit_app.projection import block, plain, question
from memorykit_app.recall import search
from memorykit_app.recall.policy import policy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.services import receipts

logger = logging.getLogger("memorykit")

#: Metadata under these names is memorykit's alone.
NAMESPACE: Final = "memory."
POLICY_VERSION: Final = "memory.policy_version"
IDS: Final = "memory.ids"
ITEM_COUNT: Final = "memory.item_count"
DEGRADED_CHANNELS: Final = "memory.degraded_channels"
DEGRADED: Final = "memory.degraded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """Messages for the model, and what was done to them.

    `metadata` is the host's own with memorykit's marks under `memory.`; `ids` are the records
    that went in, in order, and `degraded` tells that a channel, or all of memory, gave nothing.
    """

    messages: list[dict[str, Any]] = field(repr=False)
    metadata: dict[str, Any] = field(repr=False)
    ids: tuple[UUID, ...] = ()
    degraded: bool = False


#: A later step of the host: gets copies, returns (messages, metadata), touches no `memory.*`.
Projector: TypeAlias = Callable[
    [list[dict[str, Any]], dict[str, Any]], tuple[list[dict[str, Any]], dict[str, Any]]
]
#: Finds the scope from a copy of the metadata, for hosts that serve many projects.
Resolver: TypeAlias = Callable[[dict[str, Any]], Scope]


def project(
    messages: Sequence[Mapping[str, Any]],
    metadata: Mapping[str, Any] | None = None,
    *,
    scope: Scope | Resolver,
    by: Principal,
    now: datetime,
    items: int | None = None,
    tokens: int | None = None,
    run_id: str = "",
    then: Sequence[Projector] = (),
) -> Projection:
    """Return the messages with one more, the memory block, before the last user message.

    `metadata` may ask for more under memory.query_tags, memory.query_keys and memory.query_kinds
    (lists of texts); all other `memory.*` is dropped. Pinned records always come, and together
    the records cost at most the policy's tokens, or `tokens`. Without records the messages stay
    as they are. When memory cannot be had in time, they go on without it and the metadata says
    `memory.degraded`. `run_id` goes into the receipt. `then` are later steps, each with the
    result of the one before.

    Raises InvalidMemory (also when there are records and no user message, or a later step sets
    `memory.*`), ScopeRequired, AccessDenied, RecallDependency or InvalidRecallResult.
    """
    receipts.run_id(run_id)
    given = plain.messages(messages)
    known = plain.metadata({} if metadata is None else metadata)
    given = [entry for entry in given if not block.is_block(entry)]
    found_scope = scope if isinstance(scope, Scope) else scope(plain.metadata(known))
    if not isinstance(found_scope, Scope):
        raise ScopeRequired("project() needs a Scope, or a resolver that returns one")
    asked = question.build(
        given, known, most_chars=policy().query_chars, items=items, tokens=tokens
    )
    own = {name: value for name, value in known.items() if not name.startswith(NAMESPACE)}
    found = _recalled(asked, found_scope, by, now)
    marks = _marks(found)
    projected = given if found is None or not found.items else _with_block(given, found)
    if found is not None:
        receipts.store(
            found,
            asked,
            scope=found_scope,
            by=by,
            now=now,
            entry=Entry.PROJECTION,
            run_id=run_id,
            always_on=True,
        )
    _tell(marks)
    for step in then:
        projected, own = _step(step, projected, own, marks)
    return Projection(
        messages=projected,
        metadata={**own, **marks},
        ids=() if found is None else tuple(item.memory_id for item in found.items),
        degraded=bool(marks.get(DEGRADED)),
    )


def _recalled(
    asked: RecallQuery, scope: Scope, by: Principal, now: datetime
) -> RecallResult | None:
    """Return what recall found, or None when it cannot be had now."""
    try:
        return search.recall(asked, scope=scope, by=by, now=now, always_on=True)
    except Unavailable:
        return None
    except BackendError as error:
        if not error.recoverable:
            raise
        return None


def _with_block(messages: list[dict[str, Any]], found: RecallResult) -> list[dict[str, Any]]:
    at = question.last_user(messages)
    if at is None:
        raise InvalidMemory("messages", "must hold a message of the user")
    return [*messages[:at], block.message(found.items), *messages[at:]]


def _marks(found: RecallResult | None) -> dict[str, Any]:
    if found is None:
        return {DEGRADED: True}
    marks: dict[str, Any] = {
        POLICY_VERSION: found.policy,
        IDS: [str(item.memory_id) for item in found.items],
        ITEM_COUNT: len(found.items),
        DEGRADED_CHANNELS: sorted(set(found.degraded)),
    }
    return marks | ({DEGRADED: True} if found.degraded else {})


def _step(
    step: Projector,
    messages: list[dict[str, Any]],
    own: dict[str, Any],
    marks: dict[str, Any],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what a later step makes of copies; the marks it was shown must come back as is."""
    after, told = step(plain.messages(messages), plain.metadata({**own, **marks}))
    told = plain.metadata(told)
    for name, value in told.items():
        if name.startswith(NAMESPACE) and (name not in marks or marks[name] != value):
            raise InvalidMemory("metadata", f"no later step may set {NAMESPACE}*")
    kept = {name: value for name, value in told.items() if not name.startswith(NAMESPACE)}
    return plain.messages(after), kept


def _tell(marks: Mapping[str, Any]) -> None:
    """Tell the observer ids, counts and codes; whatever it does, the prompt goes on."""
    event = "memory.degraded" if marks.get(DEGRADED) else "memory.recall"
    fields: dict[str, str | int | float] = {}
    if POLICY_VERSION in marks:
        fields = {
            "policy_version": marks[POLICY_VERSION],
            "item_count": marks[ITEM_COUNT],
            "ids": ",".join(marks[IDS]),
            "degraded_channels": ",".join(marks[DEGRADED_CHANNELS]),
        }
    try:
        backends.observer().notify(event, fields)
    except Exception as error:  # noqa: BLE001 - an observer is never worth a turn of the agent
        code = error.code if isinstance(error, MemorykitError) else type(error).__name__
        logger.warning("observer_failed", extra={"error": code})
