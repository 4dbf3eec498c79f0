"""Embeddings: one vector per memory and profile. Profiles stand side by side."""

from __future__ import annotations

from django.db import models
from pgvector.django import VectorField

from memorykit_app.models.memory import Memory
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class Profile(models.Model):
    """An embedding model under one name; its dimension never changes."""

    name = models.CharField(max_length=128, primary_key=True)
    dimension = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memorykit_profile"
        constraints = [
            models.UniqueConstraint(
                fields=["name", "dimension"], name="memorykit_profile_dimension"
            ),
            models.CheckConstraint(
                condition=models.Q(dimension__gte=1, dimension__lte=16_000),
                name="memorykit_profile_dimension_range",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Embedding(models.Model):
    """The vector of one memory under one profile, for the text with this content hash."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    profile = models.ForeignKey(
        Profile, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    dimension = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    vector = VectorField()
    created_at = models.DateTimeField()

    objects = ScopedManager["Embedding"]()

    class Meta:
        db_table = "memorykit_embedding"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "memory", "profile"], name="memorykit_embedding_unique"
            ),
        ]
        indexes = [models.Index(fields=["memory"], name="memorykit_embedding_memory")]

    def __str__(self) -> str:
        return f"embedding of {str(self.memory_id)[:8]}"
