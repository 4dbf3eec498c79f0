"""Rehearsal: what would be recalled if a candidate were active, with nothing kept of it."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from memorykit_app.models import sealed
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.recall.search import recall
from memorykit_app.services import memories
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command


@guarded
def rehearse(memory_id: UUID, query: RecallQuery, command: Command) -> RecallResult:
    """Activate a candidate, ask, and take it all back in the same transaction.

    It has no vector yet, so only key and words find it. Raises what `memories.activate` and
    `recall` raise.
    """
    with sealed(command.scope), transaction.atomic():
        memories.activate(memory_id, command)
        answer = recall(query, scope=command.scope, by=command.by, now=command.now, explain=True)
        transaction.set_rollback(True)
    return answer
