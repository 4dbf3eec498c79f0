"""The question as the channels need it: bounded, in terms, and as a vector."""

from __future__ import annotations

import math
from datetime import datetime

from memorykit_app import conf
from memorykit_app.backends import query_vectors
from memorykit_app.domain import terms
from memorykit_app.domain.asked_dates import AskedDate, asked_dates
from memorykit_app.domain.errors import BackendError, InvalidMemory, RecallDependency
from memorykit_app.recall.deadline import Deadline
from memorykit_app.recall.policy import RecallPolicy
from memorykit_app.recall.query import RecallQuery

# Of the time left; the search needs the rest.
_EMBEDDING_SHARE = 0.5


def bounded(query: RecallQuery, policy: RecallPolicy) -> None:
    """Pass, or raise InvalidMemory when the question is larger than the policy allows."""
    if len(query.text) > policy.query_chars:
        raise InvalidMemory("text", f"must have at most {policy.query_chars} characters")
    if len(query.keys) > policy.keys:
        raise InvalidMemory("keys", f"must be at most {policy.keys}")


def asked_terms(text: str, policy: RecallPolicy) -> tuple[str, ...]:
    """Return the terms that the policy's full-text rule asks for, at most its QUERY_TERMS."""
    if not policy.full_text_limit:
        return ()
    if policy.full_text_rule == "matched_terms":
        return tuple(terms.terms(text, limit=policy.query_terms))
    found = terms.asked_terms(
        text,
        limit=policy.query_terms,
        stemmed=policy.stems,
        telling_only=policy.telling_only,
    )
    return tuple(found)


def dates(text: str, policy: RecallPolicy, at: datetime) -> tuple[AskedDate, ...]:
    """Return the dates that the question names, seen from `at`, when the policy weighs them."""
    return asked_dates(text, at) if policy.date_weight else ()


def vector(text: str, policy: RecallPolicy, deadline: Deadline) -> tuple[float, ...] | None:
    """Return the vector of the question's end, or None when it cannot be had in time.

    Raises RecallDependency for a part that is broken rather than busy, and InvalidMemory for
    a vector that is not one of the profile.
    """
    if policy.profile not in conf.settings().embedders:
        # Another process switched to a model that this one was not told of.
        return None
    try:
        numbers = query_vectors.attempt(
            text[-policy.embed_chars :], deadline.left * _EMBEDDING_SHARE, policy.profile
        ).vector
    except BackendError as error:
        if error.recoverable:
            return None
        raise RecallDependency from error
    if numbers is None:
        return None
    found = tuple(map(float, numbers))
    if len(found) != policy.dimension or not all(map(math.isfinite, found)) or not any(found):
        raise InvalidMemory("vector", f"must be {policy.dimension} finite numbers, not all 0")
    return found
