"""Erasure: content-free receipts, and keyed fingerprints that keep erased text away."""

from __future__ import annotations

from django.db import models

from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class ErasureReceipt(models.Model):
    """What one erase took away: counts per store, who, why and when; never what it said."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    memory_id = models.UUIDField(null=True, blank=True)
    counts = models.JSONField()
    actor = models.CharField(max_length=512)
    reason = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    objects = ScopedManager["ErasureReceipt"]()

    class Meta:
        db_table = "memorykit_erasure_receipt"
        default_permissions = ("view",)
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "memory_id"],
                condition=models.Q(memory_id__isnull=False),
                name="memorykit_erasure_receipt_first",
            ),
        ]
        indexes = [models.Index(fields=["scope", "created_at"], name="memorykit_receipt_time")]

    def __str__(self) -> str:
        return f"erasure receipt {str(self.id)[:8]}"


class Fingerprint(models.Model):
    """A keyed digest of erased text; a person may lift it."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    receipt = models.ForeignKey(
        ErasureReceipt, on_delete=models.PROTECT, related_name="+", null=True
    )
    created_at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.CharField(max_length=512, blank=True)

    objects = ScopedManager["Fingerprint"]()

    class Meta:
        db_table = "memorykit_fingerprint"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "digest"], name="memorykit_fingerprint_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"fingerprint {str(self.id)[:8]}"
