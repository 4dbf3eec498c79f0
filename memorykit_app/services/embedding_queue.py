"""The embedding job of a memory, written in the transaction of the change that needs it."""

from __future__ import annotations

from memorykit_app import conf
from memorykit_app.models import JobKind, Memory
from memorykit_app.services import jobs


def enqueue(memory: Memory) -> None:
    """Ask for the vector of this memory under the serving profile."""
    jobs.enqueue(
        kind=JobKind.EMBED,
        scope_id=memory.scope_id,
        target_id=memory.pk,
        profile=conf.settings().serving_profile,
    )
