"""The defaults of the small ports: a clock, an observer that logs, an authorizer that refuses."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from memorykit_app.backends.base import Authorizer, Clock, Observer, Target
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope


class SystemClock(Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)


class LoggingObserver(Observer):
    """Writes each event to the log `memorykit.events`, its fields as they are."""

    def __init__(self) -> None:
        self._log = logging.getLogger("memorykit.events")

    def notify(self, event: str, fields: Mapping[str, str | int | float]) -> None:
        # Under one key: a field may bear a name that the log record has itself.
        self._log.info(event, extra={"event_fields": dict(fields)})


class DenyAll(Authorizer):
    """Refuses everything; what a project gets before it decides."""

    asks_this_database = True

    def problems(self) -> list[str]:
        return ["DenyAll refuses every verb: name an authorizer of your own or GrantAuthorizer."]

    def allows(self, principal: Principal, verb: str, scope: Scope, target: Target) -> bool:
        return False
