"""What is asked: the words, exact keys, and wishes that can only narrow the policy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memorykit_app.domain import validation
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.states import Kind

# What a policy allows is less; this keeps a hostile text from being worked on at all.
_MOST_CHARS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """One question about one scope.

    `text` is what the channels search by, `keys` are looked up as they are, `kinds` leaves out
    all others. `items` and `tokens` narrow what the policy allows. `as_of` asks what was valid
    then, `known_at` what was known then; both need the right to review. Raises InvalidMemory
    naming the field.
    """

    text: str = ""
    keys: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    items: int | None = None
    tokens: int | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "text", validation.text("text", self.text, limit=_MOST_CHARS))
        set_(self, "keys", _distinct("keys", self.keys))
        set_(self, "kinds", _distinct("kinds", self.kinds))
        if any(kind not in Kind.__members__.values() for kind in self.kinds):
            raise InvalidMemory("kinds", f"must be among {', '.join(Kind)}")
        if not self.text.strip() and not self.keys:
            raise InvalidMemory("text", "must not be blank unless keys are asked for")
        for name in ("items", "tokens"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise InvalidMemory(name, "must be a whole number above 0")
        for name in ("as_of", "known_at"):
            if getattr(self, name) is not None:
                validation.moment(name, getattr(self, name))


def _distinct(field: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, (tuple, list)):
        raise InvalidMemory(field, "must be a list of texts")
    found = tuple(validation.text(field, value, limit=_MOST_CHARS, blank=False) for value in values)
    if len(set(found)) != len(found):
        raise InvalidMemory(field, "must not name the same twice")
    return found
