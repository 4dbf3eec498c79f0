"""Binding: which key, project and run the calls of a client belong to; no call can widen it."""

from __future__ import annotations

from dataclasses import dataclass, field

from memorykit_app.api import callers
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.agents import AgentRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Given by the host: at the start, or in the headers of a request."""

    token: str = field(repr=False)
    project: str
    run_id: str
    user_id: str

    def run(self, needs: Capability, *, counted: bool = True) -> AgentRun:
        """Return the run that may now do what it needs: the key is looked up at each call.

        Raises Unauthenticated, TooManyCalls, ProjectNotBound, CapabilityMissing, InvalidMemory
        for an id that is none, or Unavailable.
        """
        caller = callers.admitted(self.token, self.project, needs, counted=counted)
        return AgentRun(
            scope=caller.scope,
            by=caller.by,
            run_id=self.run_id,
            user_id=self.user_id,
            write_intent=Capability.WRITE_EXPLICIT in caller.by.capabilities,
        )
