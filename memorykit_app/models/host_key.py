"""Host keys: how an agent host proves who it is. Only a hash is kept."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from memorykit_app.domain.actors import Capability


class HostKey(models.Model):
    """One key: 256 random bits, shown once, bound to a tenant and its projects."""

    id = models.UUIDField(primary_key=True, editable=False)
    prefix = models.CharField(max_length=16, unique=True)
    secret_hash = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    tenant_id = models.CharField(max_length=200)
    projects = ArrayField(models.CharField(max_length=200))
    capabilities = ArrayField(
        models.CharField(max_length=32, choices=[(c.value, c.value) for c in Capability])
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True)

    class Meta:
        db_table = "memorykit_host_key"
        default_permissions = ("view",)
        permissions = [("manage_hostkey", "Can create, rotate and revoke host keys")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=False)
                | ~models.Q(
                    capabilities__overlap=[Capability.REVIEW.value, Capability.ERASE.value]
                ),
                name="memorykit_host_key_review_has_user",
            ),
        ]

    def __str__(self) -> str:
        return f"host key {self.prefix}"
