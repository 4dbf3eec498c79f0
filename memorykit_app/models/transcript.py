"""Transcripts: the finished conversations that extraction reads; kept for days only."""

from __future__ import annotations

from django.db import models

from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class Transcript(models.Model):
    """One conversation under row-level security; sources point to it as `transcript:<id>`."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    messages = models.JSONField()
    message_count = models.PositiveIntegerField()
    source_agent_id = models.CharField(max_length=512, blank=True)
    created_at = models.DateTimeField()

    objects = ScopedManager["Transcript"]()

    class Meta:
        db_table = "memorykit_transcript"
        default_permissions = ()
        indexes = [models.Index(fields=["scope", "created_at"], name="memorykit_transcript_time")]

    def __str__(self) -> str:
        return f"transcript {str(self.id)[:8]}"
