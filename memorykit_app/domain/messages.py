"""Messages: one turn of a transcript, as the chat APIs export it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

# Roles whose words come from outside the conversation: lower authority, flagged for review.
OUTSIDE_ROLES = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message with its text parts joined by newlines; `index` counts from 0."""

    index: int
    role: str
    text: str
    name: str = ""
    created_at: datetime | None = None

    @property
    def outside(self) -> bool:
        return self.role in OUTSIDE_ROLES
