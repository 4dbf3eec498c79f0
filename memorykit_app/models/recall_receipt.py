"""Recall receipts: what was served to whom and when, without a word of it."""

from __future__ import annotations

from enum import StrEnum

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class Entry(StrEnum):
    """Where an answer left memorykit."""

    API = "api"
    COMMAND = "command"
    ADMIN = "admin"
    PROJECTION = "projection"
    TOOLS = "tools"
    PYTHON = "python"


class RecallReceipt(models.Model):
    """One answer of recall: ids, versions, ranks and scores, in the order they were served.

    `query_digest` is the keyed digest of the question; `asked` its kinds, limits and times.
    Written once, deleted when `kept_until` has passed; an erase leaves it, for it says who was
    served the erased record.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    entry = models.CharField(max_length=16, choices=[(e.value, e.value) for e in Entry])
    actor = models.CharField(max_length=512)
    host_key = models.CharField(max_length=64, blank=True)
    run_id = models.CharField(max_length=128, blank=True)
    query_digest = models.CharField(max_length=64)
    asked = models.JSONField()
    items = models.JSONField()
    dropped = models.JSONField()
    degraded = ArrayField(models.CharField(max_length=16))
    policy = models.CharField(max_length=64)
    profile = models.CharField(max_length=128)
    created_at = models.DateTimeField()
    kept_until = models.DateTimeField()

    objects = ScopedManager["RecallReceipt"]()

    class Meta:
        db_table = "memorykit_recall_receipt"
        default_permissions = ("view",)
        indexes = [
            models.Index(fields=["scope", "created_at"], name="memorykit_recall_receipt_time"),
            models.Index(fields=["scope", "kept_until"], name="memorykit_recall_receipt_kept"),
        ]

    def __str__(self) -> str:
        return f"recall receipt {str(self.id)[:8]}"
