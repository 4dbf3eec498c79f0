"""Recall: what this scope remembers about a question, within a deadline and a budget."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from types import MappingProxyType

from django.db import connection

from memorykit_app import backends
from memorykit_app.domain import validation
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import ScopeRequired
from memorykit_app.domain.scope import Scope
from memorykit_app.models import access, sealed
from memorykit_app.recall import folding, packing, question, ranking, serving, statements
from memorykit_app.recall.channels import Asked, Search
from memorykit_app.recall.deadline import Deadline
from memorykit_app.recall.folding import Folds
from memorykit_app.recall.fusion import Fused
from memorykit_app.recall.packing import Packed
from memorykit_app.recall.past import Past
from memorykit_app.recall.policy import RecallPolicy, on_serving_profile, policy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import Dropped, Explained, RecallItem, RecallResult
from memorykit_app.recall.rows import VECTOR, Found


def recall(
    query: RecallQuery,
    *,
    scope: Scope,
    by: Principal,
    now: datetime,
    explain: bool = False,
    always_on: bool = False,
    rules: RecallPolicy | None = None,
) -> RecallResult:
    """Return the active records of a scope that are effective now and fit the question best.

    `always_on` puts records that a person pinned first, found or not. With `query.as_of` the
    time asked about stands for `now`; with `query.known_at` the records are as they were then,
    found by key and words only. `explain` adds how each found record came to its place. `rules`
    stand for the policy that is set.
    Raises InvalidMemory, AccessDenied (also for a look into the past without the right to review),
    Unavailable when the store gives no answer in time, RecallDependency or InvalidRecallResult
    when a part is broken.
    """
    follows, rules = rules is None, rules or policy()
    deadline = Deadline(rules.deadline_ms / 1_000)
    question.bounded(query, rules)
    validation.moment("now", now)
    _authorize(by, scope, query)
    if follows:
        rules = on_serving_profile(rules)
    asked, degraded = _asked(query, rules, scope, now, deadline, always_on=always_on)
    nested = connection.in_atomic_block
    with sealed(scope), statements.own_settings() if nested else nullcontext():
        search = _search(query, asked, rules, deadline)
        found = search.ranks()
        ordered = ranking.ranked(found, rules, question.dates(query.text, rules, asked.at))
        good = [entry for entry in ordered if entry.score >= rules.floor]
        served = partial(
            serving.items,
            search=search,
            at_once=rules.items * 2,
            count=backends.token_counter().count,
        )
        folds = folding.Folds(rules.fold)
        packed = packing.pack(
            folds.distinct(served(good)),
            items=min(rules.items, query.items or rules.items),
            tokens=min(rules.tokens, query.tokens or rules.tokens),
            first=list(folds.distinct(served(_pinned(found, ordered)))),
        )
    return RecallResult(
        items=packed.kept,
        degraded=tuple(sorted({*degraded, *found.degraded})),
        dropped=(
            *(Dropped(memory_id=item.memory_id, reason="tokens") for item in packed.too_large),
            *(Dropped(memory_id=memory_id, reason="duplicate") for memory_id in folds.folded),
        ),
        policy=rules.version,
        elapsed_ms=deadline.elapsed_ms,
        explained=_explained(ordered, packed, folds, rules) if explain else (),
    )


def _authorize(by: Principal, scope: Scope, query: RecallQuery) -> None:
    if not isinstance(scope, Scope):
        raise ScopeRequired("recall() takes a Scope")
    access.authorize(by, access.READ, scope)
    if query.as_of is not None or query.known_at is not None:
        access.authorize(by, access.REVIEW, scope)


def _asked(
    query: RecallQuery,
    rules: RecallPolicy,
    scope: Scope,
    now: datetime,
    deadline: Deadline,
    *,
    always_on: bool,
) -> tuple[Asked, tuple[str, ...]]:
    """Return what to search for, with the vector made before any transaction opens."""
    text = query.text.strip()
    wants_vector = bool(text and rules.vector_limit)
    past = query.known_at is not None
    vector = question.vector(text, rules, deadline) if wants_vector and not past else None
    asked = Asked(
        scope_id=scope.id,
        at=query.as_of or query.known_at or now,
        kinds=query.kinds,
        keys=query.keys,
        terms=question.asked_terms(text, rules),
        vector=vector,
        pinned=rules.pinned_items if always_on else 0,
    )
    return asked, (VECTOR,) if wants_vector and vector is None else ()


def _search(
    query: RecallQuery, asked: Asked, rules: RecallPolicy, deadline: Deadline
) -> Search | Past:
    if query.known_at is None:
        return Search(asked, rules, deadline)
    return Past(asked, rules, deadline, known_at=query.known_at)


def _pinned(found: Found, ordered: Sequence[Fused]) -> list[Fused]:
    known = {entry.memory_id: entry for entry in ordered}
    return [known.get(entry.memory_id) or Fused(entry, 0.0) for entry in found.pinned]


def _explained(
    ordered: Sequence[Fused], packed: Packed[RecallItem], folds: Folds, rules: RecallPolicy
) -> tuple[Explained, ...]:
    outcomes = dict.fromkeys((item.memory_id for item in packed.too_large), "tokens")
    outcomes |= dict.fromkeys((item.memory_id for item in packed.kept), "kept")
    outcomes |= dict.fromkeys(folds.folded, "duplicate")
    return tuple(
        Explained(
            memory_id=entry.memory_id,
            score=entry.score,
            ranks=MappingProxyType(dict(entry.candidate.ranks)),
            channel_scores=MappingProxyType(dict(entry.candidate.scores)),
            outcome=outcomes.get(
                entry.memory_id, "floor" if entry.score < rules.floor else "items"
            ),
        )
        for entry in ordered
    )
