"""The embedding jobs of a memory, written in the transaction of the change that needs them."""

from __future__ import annotations

from memorykit_app.models import JobKind, Memory
from memorykit_app.services import jobs, profiles


def enqueue(memory: Memory) -> None:
    """Ask for the vector of this memory under every profile that is written."""
    for profile in profiles.written():
        jobs.enqueue(
            kind=JobKind.EMBED,
            scope_id=memory.scope_id,
            target_id=memory.pk,
            profile=profile,
        )
