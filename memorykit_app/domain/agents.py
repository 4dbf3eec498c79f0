"""Agents: one run of a model on behalf of a user, as the host vouches for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memorykit_app.domain.actors import ActorClass, Capability, Principal, actor_class
from memorykit_app.domain.errors import AccessDenied, InvalidMemory
from memorykit_app.domain.scope import Scope

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
SOURCE = "agent_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRun:
    """Whose tools these are: fixed by the host, and by nothing that a model says.

    `by` is the host. `run_id` and `user_id` are opaque ids of the host's own (1 to 128 of
    A-Z a-z 0-9 . _ : -); they stay in the history after an erase, so they must not be names or
    addresses. With `write_intent` both are needed, and a host key must hold `write_explicit`.
    Raises InvalidMemory or AccessDenied.
    """

    scope: Scope
    by: Principal
    run_id: str = ""
    user_id: str = ""
    write_intent: bool = False

    def __post_init__(self) -> None:
        for name in ("run_id", "user_id"):
            value = getattr(self, name)
            if value and not (isinstance(value, str) and _ID.fullmatch(value)):
                raise InvalidMemory(name, "must be an id of 1 to 128 letters, digits and . _ : -")
        if not self.write_intent:
            return
        for name in ("run_id", "user_id"):
            if not getattr(self, name):
                raise InvalidMemory(name, "is needed for tools that write")
        if actor_class(self.by.actor) is ActorClass.HOST:
            if Capability.WRITE_EXPLICIT not in self.by.capabilities:
                raise AccessDenied("write")

    @property
    def model(self) -> Principal:
        """The model that acts for this user; it may do what the host granted, and no more."""
        granted = {Capability.PROPOSE, Capability.WRITE_EXPLICIT} if self.write_intent else set()
        return Principal(actor=self.actor, capabilities=frozenset(granted))

    @property
    def actor(self) -> str:
        return f"{ActorClass.MODEL.value}:{self.user_id}"

    @property
    def source_ref(self) -> str:
        return f"agent-run:{self.run_id}"
