"""Embeddings: one vector per memory and profile. Profiles stand side by side."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from memorykit_app.models.memory import Memory
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager


class ProfileState(StrEnum):
    """What a profile is for. All but `dropping` get the vector of every new text.

    `building` lacks vectors and is being filled, `standby` is filled, `serving` is searched,
    `dropping` is being emptied.
    """

    BUILDING = "building"
    STANDBY = "standby"
    SERVING = "serving"
    DROPPING = "dropping"


class Profile(models.Model):
    """An embedding model under one name; its dimension never changes.

    While it is building, the cursor names the last memory that was looked at.
    """

    name = models.CharField(max_length=128, primary_key=True)
    dimension = models.PositiveIntegerField()
    state = models.CharField(
        max_length=16,
        choices=[(s.value, s.value) for s in ProfileState],
        default=ProfileState.STANDBY.value,
    )
    cursor_scope = models.UUIDField(null=True, blank=True)
    cursor_memory = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memorykit_profile"
        constraints = [
            models.UniqueConstraint(
                fields=["name", "dimension"], name="memorykit_profile_dimension"
            ),
            models.UniqueConstraint(
                fields=["state"],
                condition=Q(state=ProfileState.SERVING.value),
                name="memorykit_profile_one_serving",
            ),
            models.CheckConstraint(
                condition=Q(dimension__gte=1, dimension__lte=16_000),
                name="memorykit_profile_dimension_range",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in ProfileState]),
                name="memorykit_profile_state",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def serving(cls) -> tuple[str, int] | None:
        """Return name and dimension of the profile that recall searches; None before the first."""
        rows = cls._default_manager.filter(state=ProfileState.SERVING.value)
        return rows.values_list("name", "dimension").first()


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
