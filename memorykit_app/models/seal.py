"""Seals: one link per committed revision in the hash chain of its scope."""

from __future__ import annotations

from django.db import models

from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class Seal(models.Model):
    """One sealed revision; `id` is the revision's own, so that none is sealed twice.

    Written once, without content, key or note; an erase leaves it, of a whole scope too.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveBigIntegerField()
    memory_id = models.UUIDField()
    version = models.PositiveIntegerField()
    action = models.CharField(max_length=16)
    actor = models.CharField(max_length=512)
    reason = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    hash = models.CharField(max_length=64)

    objects = ScopedManager["Seal"]()

    class Meta:
        db_table = "memorykit_seal"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["scope", "number"], name="memorykit_seal_number"),
        ]

    def __str__(self) -> str:
        return f"seal {self.number} of {str(self.scope_id)[:8]}"
