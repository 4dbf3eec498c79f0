"""Feedback: what agents and people say a record was worth, as one code each; never words."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from memorykit_app.models.memory import Memory
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class Verdict(StrEnum):
    USEFUL = "useful"
    NOT_USEFUL = "not_useful"
    WRONG = "wrong"


class Feedback(models.Model):
    """The last verdict of one actor on one memory."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    actor = models.CharField(max_length=512)
    verdict = models.CharField(max_length=16, choices=[(v.value, v.value) for v in Verdict])
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ScopedManager["Feedback"]()

    class Meta:
        db_table = "memorykit_feedback"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "memory", "actor"], name="memorykit_feedback_unique"
            ),
            models.CheckConstraint(
                condition=models.Q(verdict__in=[v.value for v in Verdict]),
                name="memorykit_feedback_verdict",
            ),
        ]
        indexes = [models.Index(fields=["memory"], name="memorykit_feedback_memory")]

    def __str__(self) -> str:
        return f"feedback {str(self.id)[:8]}"
