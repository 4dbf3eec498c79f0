"""Jobs: rows in Postgres, written with their cause. The bell rings after the commit."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from uuid6 import uuid7

from memorykit_app import conf
from memorykit_app.models import Job, JobKind, JobState
from memorykit_app.services import bell


def enqueue(
    *,
    kind: JobKind,
    scope_id: UUID,
    target_id: UUID,
    profile: str = "",
    job_id: UUID | None = None,
) -> UUID:
    """Write a pending job and ring for it on commit; a job that exists is left alone.

    Returns the id asked for, or the new one.
    """
    job = Job(
        id=job_id or uuid7(),
        scope_id=scope_id,
        kind=kind.value,
        state=JobState.PENDING.value,
        target_id=target_id,
        profile=profile,
        max_attempts=conf.settings().jobs.max_attempts,
        # Leases live by the database's clock alone.
        due_at=Now(),
        created_at=Now(),
        updated_at=Now(),
    )
    Job.objects.bulk_create([job], ignore_conflicts=True)
    transaction.on_commit(bell.ring, robust=True)
    return job.id
