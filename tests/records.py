"""Ready-made records for tests, built through the services and never around them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, Provenance, State
from memorykit_app.models import ErasureReceipt, Memory, Revision, sealed
from memorykit_app.services import creation, erasure
from memorykit_app.services.lifecycle import Command

SCOPE = Scope.project("acme", "red")
OTHER = Scope.project("acme", "blue")
NOW = datetime(2031, 1, 1, 12, 0, tzinfo=UTC)
AUTHOR = Principal.operator("author")
OPERATOR = Principal.operator("reviewer")
MODEL = Principal(actor="model:rules-v1")
SOURCE = SourceRef(kind="note", ref="note:1", quote="we moved to Lisbon")


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def draft(content: str = "The office is in Lisbon.", **changes) -> Draft:
    words = {"kind": Kind.FACT, "key": "office.city", "content": content, "sources": (SOURCE,)}
    return Draft(**(words | changes))


def memory(
    content: str = "The office is in Lisbon.", *, state=State.CANDIDATE, **changes
) -> Memory:
    outer: dict[str, Any] = {"scope": SCOPE, "by": AUTHOR, "now": NOW}
    for name in (*outer, "memory_id", "idempotency_key", "source_agent_id"):
        if name in changes:
            outer[name] = changes.pop(name)
    return creation.create(
        draft(content, **changes),
        **outer,
        provenance=Provenance.OPERATOR_CURATED,
        state=state,
    )


def active(content: str = "The office is in Lisbon.", **changes) -> Memory:
    return memory(content, state=State.ACTIVE, **changes)


def asked(version: int, *, seconds: float = 1, by: Principal = OPERATOR, **changes) -> Command:
    scope = changes.pop("scope", SCOPE)
    return Command(scope=scope, by=by, now=at(seconds), expected_version=version, **changes)


def fresh(record: Memory, scope: Scope = SCOPE) -> Memory:
    with sealed(scope):
        return Memory.objects.in_scope(scope).get(pk=record.pk)


def history(record: Memory, scope: Scope = SCOPE) -> list[Revision]:
    with sealed(scope):
        rows = Revision.objects.in_scope(scope).filter(memory_id=record.pk)
        return list(rows.order_by("version"))


def erasure_of(record: Memory, scope: Scope = SCOPE) -> ErasureReceipt:
    command = asked(fresh(record, scope).version, scope=scope, reason="test")
    return erasure.erase(record.pk, command)
