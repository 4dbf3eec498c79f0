"""Channels: exact, full text and vector as one statement, and what to do when one fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from memorykit_app import sql
from memorykit_app.domain.states import Kind
from memorykit_app.recall import rows, statements
from memorykit_app.recall.deadline import Deadline
from memorykit_app.recall.faults import Fault, fault, translated
from memorykit_app.recall.policy import RecallPolicy
from memorykit_app.recall.rows import EXACT, FULL_TEXT, PINNED, VECTOR, Found, Row

# What one try may take of the time that is left; the rest is for the tries after it.
_SHARE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the channels look for in one scope: keys, terms and a vector, each may be missing."""

    scope_id: UUID
    at: datetime
    kinds: tuple[str, ...]
    keys: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    vector: tuple[float, ...] | None = None
    pinned: int = 0


class Search:
    """The statements of one recall; use it inside `sealed(scope)`."""

    def __init__(self, asked: Asked, policy: RecallPolicy, deadline: Deadline) -> None:
        self._asked = asked
        self._policy = policy
        self._deadline = deadline
        self._params = _params(asked, policy)

    def ranks(self) -> Found:
        """Return what the channels find, in one statement when nothing fails.

        A channel that takes too long is left out and named. Raises Unavailable,
        RecallDependency or InvalidRecallResult.
        """
        wanted = _wanted(self._asked, self._policy)
        *tries, last = _narrowing(wanted)
        for tried in tries:
            try:
                return self._found(wanted, tried)
            except psycopg.Error as error:
                if fault(error) is not Fault.CHANNEL:
                    raise translated(error) from None
        try:
            return self._found(wanted, last)
        except psycopg.Error as error:
            raise translated(error) from None

    def read(self, ids: Sequence[UUID]) -> list[Row]:
        """Return the rows of these records that are still active and effective.

        Raises Unavailable or RecallDependency.
        """
        try:
            return self._execute(
                sql.load("recall")["read"], self._deadline.statement_ms(), ids=list(ids)
            )
        except psycopg.Error as error:
            raise translated(error) from None

    def _found(self, wanted: Sequence[str], tried: Sequence[str]) -> Found:
        degraded = tuple(sorted(set(wanted) - set(tried)))
        if not tried and not self._asked.pinned:
            return Found(degraded=degraded)
        found = self._execute(self._statement(tried), self._deadline.statement_ms(_SHARE))
        limits = _limits(self._policy) | {PINNED: self._asked.pinned}
        return rows.found(
            found,
            {channel: limits[channel] for channel in (*tried, PINNED)},
            min_similarity=self._policy.min_similarity,
            degraded=degraded,
        )

    def _execute(self, statement: str, limit_ms: int, **params: object) -> list[Row]:
        return statements.execute(statement, self._params | params, limit_ms=limit_ms)

    def _statement(self, channels: Sequence[str]) -> str:
        """Return the statement of these channels; what is off finds nothing and reads nothing."""
        queries, policy = sql.load("recall"), self._policy
        words, near = FULL_TEXT in channels, VECTOR in channels
        shares = policy.before_weight or policy.after_weight or policy.answer_weight
        beside = shares and (words or near)
        sampled = "centre" if policy.sample else "plain_centre"
        return queries["ranks"].format(
            exact=queries["exact" if EXACT in channels else "no_exact"],
            pinned=queries["pinned" if self._asked.pinned else "no_pinned"],
            full_text=queries[policy.full_text_rule if words else "no_full_text"],
            centre=queries[sampled if near else "no_centre"],
            vector=queries["vector" if near else "no_vector"],
            similarity=queries["similarity" if near else "no_similarity"],
            near=queries["near" if beside else "no_near"],
        )


def _wanted(asked: Asked, policy: RecallPolicy) -> tuple[str, ...]:
    limits = _limits(policy)
    given = {EXACT: asked.keys, FULL_TEXT: asked.terms, VECTOR: asked.vector}
    return tuple(channel for channel, value in given.items() if value and limits[channel])


def _narrowing(wanted: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return what to try in turn: all, without either costly channel, exact alone."""
    tries = [
        tuple(channel for channel in wanted if channel not in without)
        for without in ((), (VECTOR,), (FULL_TEXT,), (VECTOR, FULL_TEXT))
    ]
    return list(dict.fromkeys(tries))


def _limits(policy: RecallPolicy) -> dict[str, int]:
    return {
        EXACT: policy.exact_limit,
        FULL_TEXT: policy.full_text_limit,
        VECTOR: policy.vector_limit,
    }


def _params(asked: Asked, policy: RecallPolicy) -> dict[str, Any]:
    return {
        "scope": asked.scope_id,
        "at": asked.at,
        "kinds": list(asked.kinds or Kind),
        "keys": list(asked.keys),
        "terms": list(asked.terms),
        "vector": "[" + ",".join(map(repr, asked.vector or ())) + "]",
        "profile": policy.profile,
        "dimension": policy.dimension,
        "centre": policy.centre,
        "sample": policy.sample,
        "saturation": policy.bm25_saturation,
        "length": policy.bm25_length,
        "exact_limit": policy.exact_limit,
        "full_text_limit": policy.full_text_limit,
        "vector_limit": policy.vector_limit,
        "pinned_limit": asked.pinned,
    }
