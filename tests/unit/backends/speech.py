"""Makers for the tests of the rules: messages, and what is drafted of them."""

from __future__ import annotations

from datetime import UTC, datetime

from memorykit_app.backends.rules import RuleExtractor
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.messages import Message

# A Wednesday.
SAID_AT = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)


def message(
    text: str, *, role: str = "user", name: str = "", said: datetime | None = SAID_AT
) -> Message:
    return Message(index=0, role=role, text=text, name=name, created_at=said)


def drafted(*said: Message | str, limit: int = 100) -> list[ExtractedDraft]:
    """Return the drafts of a talk; a plain string is said by a user without a name."""
    heard = [message(one) if isinstance(one, str) else one for one in said]
    talk = [
        Message(index=index, role=one.role, text=one.text, name=one.name, created_at=one.created_at)
        for index, one in enumerate(heard)
    ]
    return RuleExtractor().extract(talk, now=SAID_AT, limit=limit)


def contents(*said: Message | str) -> list[str]:
    return [draft.content for draft in drafted(*said)]
