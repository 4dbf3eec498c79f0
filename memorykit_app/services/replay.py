"""Replay: ask again what a receipt was given for, and say whether the same records come back."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import (
    Embedding,
    Memory,
    RecallReceipt,
    Revision,
    ScopeRecord,
    sealed,
)
from memorykit_app.recall.policy import (
    PRESETS,
    RecallPolicy,
    build,
    on_serving_profile,
    policy,
)
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.recall.search import recall
from memorykit_app.services import receipts


class Reason(StrEnum):
    """Why a replay cannot be, or is not, what was served."""

    POLICY_UNKNOWN = "policy_unknown"
    PROFILE_CHANGED = "profile_changed"
    ERASED = "erased"
    VECTOR_DEGRADED = "vector_degraded"
    DEGRADED_THEN = "degraded_then"
    EMBEDDED_SINCE = "embedded_since"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of it: the same set or not, and then why.

    `missing` were served then and not now, `added` the other way round, both with their
    versions. `changed_since` tells that records of the scope changed after the receipt, so that
    the replay went by revisions, key and words only. `same` is None when nothing was asked.
    """

    receipt_id: UUID
    same: bool | None
    same_order: bool
    changed_since: bool
    missing: tuple[tuple[UUID, int], ...] = ()
    added: tuple[tuple[UUID, int], ...] = ()
    reasons: tuple[Reason, ...] = ()


def replay(
    receipt_id: UUID, text: str, keys: tuple[str, ...] = (), *, scope: Scope, by: Principal
) -> Replay:
    """Ask the question of a receipt again, as of its time and by its policy.

    Raises MemoryNotFound, AccessDenied without the right to review, InvalidMemory when the words
    or keys are not those of the receipt, and what recall raises. Keeps no receipt.
    """
    receipt = receipts.find(receipt_id, scope=scope, by=by)
    query = _query(receipt, text, keys)
    record = ScopeRecord.objects.get(pk=scope.id)
    if not hmac.compare_digest(receipts.digest(record, query), receipt.query_digest):
        raise InvalidMemory(
            "query", "is not that of this receipt, in words and keys, under this FINGERPRINT_KEY"
        )
    rules = _rules(receipt)
    changed = _changed_since(receipt, scope)
    if rules is None:
        return Replay(
            receipt_id=receipt.id,
            same=None,
            same_order=False,
            changed_since=changed,
            reasons=(Reason.POLICY_UNKNOWN,),
        )
    known_at = query.known_at or (receipt.created_at if changed else None)
    again = recall(
        _query(receipt, text, keys, known_at=known_at),
        scope=scope,
        by=by,
        now=receipt.created_at,
        always_on="always_on" in receipt.asked,
        rules=rules,
    )
    return _compared(receipt, again, rules, scope, changed=changed)


def _query(
    receipt: RecallReceipt, text: str, keys: tuple[str, ...], known_at: datetime | None = None
) -> RecallQuery:
    asked = receipt.asked
    return RecallQuery(
        text=text,
        keys=keys,
        kinds=tuple(asked.get("kinds", ())),
        items=asked.get("items"),
        tokens=asked.get("tokens"),
        as_of=_moment(asked.get("as_of")),
        known_at=known_at or _moment(asked.get("known_at")),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _rules(receipt: RecallReceipt) -> RecallPolicy | None:
    """Return the policy of then: the one in force, or a preset, which never changes."""
    if policy().version == receipt.policy:
        return on_serving_profile(policy())
    if receipt.policy not in PRESETS:
        return None
    return on_serving_profile(build({"PRESET": receipt.policy}))


def _changed_since(receipt: RecallReceipt, scope: Scope) -> bool:
    with sealed(scope):
        rows = Revision.objects.in_scope(scope)
        return rows.filter(created_at__gt=receipt.created_at).exists()


def _compared(
    receipt: RecallReceipt, again: RecallResult, rules: RecallPolicy, scope: Scope, *, changed: bool
) -> Replay:
    then = [(UUID(item["id"]), int(item["version"])) for item in receipt.items]
    now = [(item.memory_id, item.version) for item in again.items]
    missing = tuple(entry for entry in then if entry not in now)
    added = tuple(entry for entry in now if entry not in then)
    same = not missing and not added
    reasons = () if same else _reasons(receipt, again, rules, scope, missing)
    return Replay(
        receipt_id=receipt.id,
        same=same,
        same_order=then == now,
        changed_since=changed,
        missing=missing,
        added=added,
        reasons=reasons,
    )


def _reasons(
    receipt: RecallReceipt,
    again: RecallResult,
    rules: RecallPolicy,
    scope: Scope,
    missing: tuple[tuple[UUID, int], ...],
) -> tuple[Reason, ...]:
    with sealed(scope):
        gone = Memory.objects.in_scope(scope).filter(state=State.ERASED.value)
        vectors = Embedding.objects.in_scope(scope).filter(created_at__gt=receipt.created_at)
        told = {
            # Also one that was not served: it weighed in what all words of the scope tell.
            Reason.ERASED: gone.filter(updated_at__gt=receipt.created_at).exists(),
            Reason.PROFILE_CHANGED: receipt.profile != rules.profile,
            Reason.VECTOR_DEGRADED: bool({*again.degraded} - {*receipt.degraded}),
            Reason.DEGRADED_THEN: bool({*receipt.degraded} - {*again.degraded}),
            Reason.EMBEDDED_SINCE: vectors.exists(),
        }
    return tuple(reason for reason, true in told.items() if true) or (Reason.UNEXPLAINED,)
