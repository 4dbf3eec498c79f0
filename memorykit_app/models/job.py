"""Jobs: leased work. Ids and codes only, so rows are claimed across scopes."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models import Q

from memorykit_app.models.scope_record import ScopeRecord


class JobKind(StrEnum):
    EXTRACT = "extract"
    EMBED = "embed"


class JobState(StrEnum):
    PENDING = "pending"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class FailureCode(StrEnum):
    """Why a job stopped, as a code: never the text of an exception."""

    SOURCE_READ_FAILED = "source_read_failed"
    CANDIDATE_EXTRACT_FAILED = "candidate_extract_failed"
    CANDIDATE_VALIDATE_FAILED = "candidate_validate_failed"
    CANDIDATE_WRITE_FAILED = "candidate_write_failed"
    EMBED_FAILED = "embed_failed"
    EMBED_RESULT_INVALID = "embed_result_invalid"
    LEASE_EXHAUSTED = "lease_exhausted"


_LEASED = Q(state=JobState.LEASED.value)
_FINAL = Q(state__in=[JobState.COMPLETED.value, JobState.FAILED.value, JobState.CANCELLED.value])


class Job(models.Model):
    """One piece of background work; `target_id` names a transcript or a memory."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=[(k.value, k.value) for k in JobKind])
    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in JobState],
        default=JobState.PENDING.value,
    )
    target_id = models.UUIDField()
    profile = models.CharField(max_length=128, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    max_attempts = models.PositiveIntegerField()
    due_at = models.DateTimeField()
    lease_token = models.BigIntegerField(default=0)
    lease_owner = models.CharField(max_length=128, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    failure_code = models.CharField(max_length=64, blank=True)
    result_count = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memorykit_job"
        default_permissions = ("view",)
        permissions = [("redrive_job", "Can redrive a job"), ("cancel_job", "Can cancel a job")]
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "kind", "target_id", "profile"],
                condition=Q(state=JobState.PENDING.value),
                name="memorykit_job_one_pending",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in JobState]), name="memorykit_job_state"
            ),
            models.CheckConstraint(
                condition=(_LEASED & Q(lease_until__isnull=False) & ~Q(lease_owner=""))
                | (~_LEASED & Q(lease_until__isnull=True, lease_owner="")),
                name="memorykit_job_lease",
            ),
            models.CheckConstraint(
                condition=(_FINAL & Q(finished_at__isnull=False))
                | (~_FINAL & Q(finished_at__isnull=True)),
                name="memorykit_job_finished",
            ),
            models.CheckConstraint(
                condition=Q(failure_code__in=["", *(code.value for code in FailureCode)]),
                name="memorykit_job_failure_code",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at", "id"],
                condition=Q(state=JobState.PENDING.value),
                name="memorykit_job_due",
            ),
            models.Index(
                fields=["lease_until"],
                condition=Q(state=JobState.LEASED.value),
                name="memorykit_job_leased",
            ),
            models.Index(fields=["scope", "target_id"], name="memorykit_job_target"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} job {str(self.id)[:8]}"
