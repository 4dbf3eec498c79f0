"""Recall receipts: keep what an answer served, without a word of it, and find it again.

Recall only reads. An entry point calls `store` once it has the answer; that is one short
transaction, and one that fails is an event: the answer goes out all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from django.db import Error, connection
from django.db.models.functions import Now
from uuid6 import uuid7

from memorykit_app import backends, conf
from memorykit_app.domain.actors import ActorClass, Principal, actor_class
from memorykit_app.domain.errors import InvalidMemory, MemorykitError, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Entry, RecallReceipt, ScopeRecord, access, sealed
from memorykit_app.recall import statements
from memorykit_app.recall.policy import on_serving_profile, policy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.services import scopes
from memorykit_app.services.faults import guarded, translated

_QUERY = "recall-query"
# Longer than an insert takes on a busy server, and no longer than a caller would miss.
_STATEMENT_MS = 500
_RUN_ID = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._:/-]{0,127})?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One time that a record was served: in which version, at which place, to whom."""

    receipt_id: UUID
    at: datetime
    version: int
    place: int
    score: float
    entry: str
    actor: str
    host_key: str
    run_id: str
    policy: str


def run_id(value: object) -> str:
    """Return the id of a host's run, or blank. Raises InvalidMemory for anything like words."""
    if not isinstance(value, str) or not _RUN_ID.match(value):
        raise InvalidMemory("run_id", "must be an id: at most 128 of A-Z a-z 0-9 . _ : / -")
    return value


def store(
    result: RecallResult,
    query: RecallQuery,
    *,
    scope: Scope,
    by: Principal,
    now: datetime,
    entry: Entry,
    run_id: str = "",
    host_key: str = "",
    always_on: bool = False,
) -> UUID | None:
    """Keep the receipt of an answer and return its id; None when none is kept.

    `now` and `always_on` are those that recall was called with; `host_key` is the prefix of the
    key behind `by` and taken from it when it is a host. None is kept when MEMORYKIT[RECEIPTS]
    says so, nor for a scope that was never written to or was erased as a whole: nothing is
    served from it. Never raises for a receipt that cannot be written: that is the event
    `memory.receipt_failed`.
    """
    if not conf.settings().receipts.store:
        return None
    nested = connection.in_atomic_block
    try:
        with (
            translated(),
            sealed(scope),
            statements.own_settings() if nested else nullcontext(),
        ):
            _limit_time()
            record = ScopeRecord.objects.filter(pk=scope.id, closed_at__isnull=True).first()
            if record is None:
                return None
            receipt = RecallReceipt(
                id=uuid7(),
                scope_id=scope.id,
                entry=entry.value,
                actor=by.actor,
                host_key=host_key or _host_key(by),
                run_id=run_id,
                query_digest=digest(record, query),
                asked=_asked(query, always_on=always_on),
                items=[_item(item) for item in result.items],
                dropped=[
                    {"id": str(one.memory_id), "reason": one.reason} for one in result.dropped
                ],
                degraded=list(result.degraded),
                policy=result.policy,
                profile=on_serving_profile(policy()).profile,
                created_at=now,
                kept_until=now + timedelta(days=conf.settings().receipts.days),
            )
            receipt.save(force_insert=True)
    except (MemorykitError, Error, psycopg.Error) as error:
        backends.observer().notify("memory.receipt_failed", {"error": type(error).__name__})
        return None
    return receipt.id


@guarded
def served(
    memory_id: UUID, *, scope: Scope, by: Principal, limit: int = 1_000
) -> tuple[Served, ...]:
    """Return when a record was served and to whom, newest first; also of an erased one.

    Needs the right to review. Raises AccessDenied.
    """
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        rows = RecallReceipt.objects.in_scope(scope).filter(
            items__contains=[{"id": str(memory_id)}]
        )
        return tuple(_served(row, memory_id) for row in rows.order_by("-created_at", "-id")[:limit])


@guarded
def find(receipt_id: UUID, *, scope: Scope, by: Principal) -> RecallReceipt:
    """Return a receipt. Raises AccessDenied or MemoryNotFound."""
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        receipt = RecallReceipt.objects.in_scope(scope).filter(pk=receipt_id).first()
    if receipt is None:
        raise MemoryNotFound("no recall receipt has this id here")
    return receipt


def sweep(scope: Scope, *, now: datetime) -> int:
    """Delete the receipts of one scope whose days are over; return how many."""
    with sealed(scope):
        rows = RecallReceipt.objects.in_scope(scope)
        # The database lets them go by its own clock.
        return rows.filter(kept_until__lte=now).filter(kept_until__lte=Now()).delete()[0]


def digest(record: ScopeRecord, query: RecallQuery) -> str:
    """Return the keyed digest of what was asked in words and keys."""
    asked = json.dumps([query.text, list(query.keys)], ensure_ascii=False)
    return scopes.digest(record, _QUERY, asked)


def _limit_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{_STATEMENT_MS}ms"])


def _host_key(by: Principal) -> str:
    return by.actor.partition(":")[2] if actor_class(by.actor) is ActorClass.HOST else ""


def _asked(query: RecallQuery, *, always_on: bool) -> dict[str, Any]:
    asked: dict[str, Any] = {"kinds": list(query.kinds)} if query.kinds else {}
    for name in ("items", "tokens"):
        if (value := getattr(query, name)) is not None:
            asked[name] = value
    for name in ("as_of", "known_at"):
        if (moment := getattr(query, name)) is not None:
            asked[name] = moment.isoformat()
    return asked | ({"always_on": True} if always_on else {})


def _item(item: Any) -> dict[str, Any]:
    return {
        "id": str(item.memory_id),
        "version": item.version,
        "score": item.score,
        "ranks": dict(item.ranks),
    }


def _served(row: RecallReceipt, memory_id: UUID) -> Served:
    items: Iterable[dict[str, Any]] = row.items
    place, item = next(
        (place, item) for place, item in enumerate(items, 1) if item["id"] == str(memory_id)
    )
    return Served(
        receipt_id=row.id,
        at=row.created_at,
        version=item["version"],
        place=place,
        score=item["score"],
        entry=row.entry,
        actor=row.actor,
        host_key=row.host_key,
        run_id=row.run_id,
        policy=row.policy,
    )
