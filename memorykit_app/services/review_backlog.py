"""The backlog of review: how many candidates wait, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import Memory, access, sealed
from memorykit_app.services.faults import guarded

_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Candidates of one scope; `oldest_days` since the oldest was last changed, 0 when none."""

    count: int
    oldest_days: float


@guarded
def backlog(*, scope: Scope, by: Principal, now: datetime) -> Backlog:
    """Count what waits for a reviewer. Raises AccessDenied."""
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        rows = Memory.objects.in_scope(scope).filter(state=State.CANDIDATE.value)
        found = rows.aggregate(count=Count("pk"), oldest=Min("updated_at"))
    oldest = found["oldest"]
    days = max(0.0, (now - oldest).total_seconds() / _DAY) if oldest else 0.0
    return Backlog(count=found["count"], oldest_days=days)
