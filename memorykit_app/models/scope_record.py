"""The scope row: one per tenant and subject, closed when the whole scope was erased."""

from __future__ import annotations

from django.db import models

from memorykit_app.domain.scope import Scope, SubjectType


class ScopeRecord(models.Model):
    """A scope that was used; its id is derived from its three parts (`domain.scope`)."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.CharField(max_length=200)
    subject_type = models.CharField(
        max_length=16, choices=[(t.value, t.value) for t in SubjectType]
    )
    subject_id = models.CharField(max_length=200)
    salt = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memorykit_scope"
        verbose_name = "scope"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "subject_type", "subject_id"],
                name="memorykit_scope_parts_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"scope {str(self.id)[:8]}"

    @property
    def scope(self) -> Scope:
        return Scope(
            tenant_id=self.tenant_id,
            subject_type=SubjectType(self.subject_type),
            subject_id=self.subject_id,
        )
