"""Comparing two profiles: how much of what one recalls the other recalls too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from uuid import UUID

from django.db import connection

from memorykit_app import backends, sql
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import Unavailable
from memorykit_app.domain.scope import Scope
from memorykit_app.models import sealed
from memorykit_app.recall import policy as recall_policy
from memorykit_app.recall.policy import RecallPolicy
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.search import recall
from memorykit_app.services import profiles, scopes

_SQL = sql.load("profiles")
AT = 10
_PATIENCE_MS = 60_000
_ALL_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Mean shares of the first ten that both profiles recall, over `queries` questions.

    `recall` is of all channels together, `vector` of the vectors alone; `same_first` the share
    of questions whose first record by vectors is the same, `worst` the least vector share.
    """

    profile: str
    serving: str
    queries: int
    recall: float
    vector: float
    same_first: float
    worst: float


@dataclass(frozen=True, slots=True)
class Question:
    """A text to ask in a scope; `itself` is the record that it was taken from."""

    scope: Scope
    text: str
    itself: UUID | None = None


def sampled(scope: Scope | None, *, limit: int) -> list[Question]:
    """Return the texts of active records as questions, spread over the ids of each scope."""
    found: list[Question] = []
    for one in [scope] if scope else [record.scope for record in scopes.every()]:
        if len(found) >= limit:
            break
        with sealed(one), connection.cursor() as cursor:
            cursor.execute(_SQL["sample"], {"scope": one.id, "limit": limit - len(found)})
            found += [Question(one, text, memory_id) for memory_id, text in cursor.fetchall()]
    return found


def compare(
    name: str,
    questions: Sequence[Question],
    *,
    by: Principal,
    now: datetime,
    step: Callable[[], object] = lambda: None,
) -> Comparison | None:
    """Ask every question under the serving profile and under this one; None without questions.

    Content-free: counts only. Raises MemoryNotFound for an unknown profile, and Unavailable when
    an embedder gave no vector, for then there is nothing to compare.
    """
    profile = profiles.found(name)
    serving = profiles.serving()
    rules = recall_policy.policy()
    mine = _over(rules, name, profile.dimension)
    theirs = _over(rules, serving, backends.embedder(serving).dimension)
    fused: list[float] = []
    near: list[float] = []
    first: list[bool] = []
    for question in questions:
        pairs = [
            [_ids(question, chosen, by, now) for chosen in (a, b)]
            for a, b in ((theirs, mine), (_alone(theirs), _alone(mine)))
        ]
        fused.append(overlap(*pairs[0]))
        near.append(overlap(*pairs[1]))
        first.append(pairs[1][0][:1] == pairs[1][1][:1])
        step()
    if not fused:
        return None
    return Comparison(
        profile=name,
        serving=serving,
        queries=len(fused),
        recall=fmean(fused),
        vector=fmean(near),
        same_first=fmean(first),
        worst=min(near),
    )


def overlap(some: Sequence[UUID], others: Sequence[UUID]) -> float:
    """Return the share of the longer list that both hold; two empty ones agree."""
    longest = max(len(some), len(others))
    return len({*some} & {*others}) / longest if longest else 1.0


def asked(scope: Scope, lines: Sequence[str]) -> list[Question]:
    """Return a question for each line that is not blank."""
    return [Question(scope, line.strip()) for line in lines if line.strip()]


def _over(rules: RecallPolicy, profile: str, dimension: int) -> RecallPolicy:
    changes = {
        "profile": profile,
        "dimension": dimension,
        # One more than is compared: the record asked with is left out.
        "items": AT + 1,
        "tokens": _ALL_TOKENS,
        "deadline_ms": _PATIENCE_MS,
        "vector_limit": max(rules.vector_limit, AT + 1),
    }
    return rules.model_copy(update=changes)


def _alone(rules: RecallPolicy) -> RecallPolicy:
    return rules.model_copy(
        update={
            "exact_limit": 0,
            "full_text_limit": 0,
            "before_weight": 0.0,
            "after_weight": 0.0,
            "answer_weight": 0.0,
            "floor": 0.0,
        }
    )


def _ids(question: Question, rules: RecallPolicy, by: Principal, now: datetime) -> list[UUID]:
    text = question.text[-rules.query_chars :]
    result = recall(RecallQuery(text=text), scope=question.scope, by=by, now=now, rules=rules)
    if "vector" in result.degraded:
        raise Unavailable
    return [item.memory_id for item in result.items if item.memory_id != question.itself][:AT]
