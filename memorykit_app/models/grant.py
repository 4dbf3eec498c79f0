"""Grants: which scopes a reviewer may see. No grant, no rows; superusers included."""

from __future__ import annotations

from django.conf import settings
from django.db import models

EVERY = "*"


class ReviewerGrant(models.Model):
    """Opens one project of a tenant (or, with `*`, all of its projects) to a person."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memorykit_grants"
    )
    tenant_id = models.CharField(max_length=200)
    subject_id = models.CharField(max_length=200, default=EVERY)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "memorykit_reviewer_grant"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "tenant_id", "subject_id"], name="memorykit_grant_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"grant {self.pk} of user {self.user_id}"
