"""Actors: who did it, as text such as `person:7`, and the principal who asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memorykit_app.domain.errors import InvalidMemory


class ActorClass(StrEnum):
    PERSON = "person"
    HOST = "host"
    MODEL = "model"
    OPERATOR = "operator"
    SYSTEM = "system"


class Capability(StrEnum):
    """What a host key may do."""

    READ = "read"
    PROPOSE = "propose"
    WRITE_EXPLICIT = "write_explicit"
    REVIEW = "review"
    ERASE = "erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks. `actor` goes into revisions; the rest is what the authorizer may look at.

    `user_id` is the person behind the request, if any; `capabilities` are those of the host
    key it came with. Raises InvalidMemory when the actor has no known class.
    """

    actor: str
    user_id: int | None = None
    capabilities: frozenset[Capability] = frozenset()

    def __post_init__(self) -> None:
        actor_class(self.actor)

    @classmethod
    def person(cls, user_id: int) -> Principal:
        return cls(actor=f"person:{user_id}", user_id=user_id)

    @classmethod
    def operator(cls, name: str) -> Principal:
        return cls(actor=f"operator:{name}")

    @classmethod
    def system(cls, name: str) -> Principal:
        return cls(actor=f"system:{name}")


def actor_class(actor: str) -> ActorClass:
    """Return the class of an actor text. Raises InvalidMemory when it has none."""
    head, colon, tail = actor.partition(":")
    if not colon or not tail.strip() or head not in ActorClass.__members__.values():
        raise InvalidMemory("actor", "must be person:, host:, model:, operator: or system:")
    return ActorClass(head)
