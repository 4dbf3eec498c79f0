"""The memory table: one record of what may be remembered."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from memorykit_app.domain.states import Kind, Provenance, State
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import ScopedManager

_STATES = [(s.value, s.value) for s in State]
_ERASED = Q(state=State.ERASED.value)


class Memory(models.Model):
    """One record. Only `services` change it, and each change writes its revision."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=[(k.value, k.value) for k in Kind])
    key = models.CharField(max_length=1_024, blank=True)
    content = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=16, choices=_STATES)
    left_as = models.CharField(max_length=16, blank=True, choices=_STATES)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True, blank=True)
    importance = models.SmallIntegerField(default=0)
    confidence = models.FloatField(default=0.0)
    provenance = models.CharField(max_length=32, choices=[(p.value, p.value) for p in Provenance])
    source_agent_id = models.CharField(max_length=512, blank=True)
    created_by = models.CharField(max_length=512)
    flags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    pinned = models.BooleanField(default=False)
    held = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ScopedManager["Memory"]()

    class Meta:
        db_table = "memorykit_memory"
        verbose_name = "memory"
        verbose_name_plural = "memories"
        default_permissions = ("view",)
        permissions = [
            ("view_memory_source", "Can read source quotes"),
            ("create_memory", "Can create a memory"),
            ("activate_memory", "Can activate a candidate"),
            ("correct_memory", "Can correct a memory"),
            ("dismiss_memory", "Can dismiss a candidate"),
            ("forget_memory", "Can forget an active memory"),
            ("expire_memory", "Can expire a memory"),
            ("restore_memory", "Can restore an inactive memory"),
            ("revert_memory", "Can undo an activation"),
            ("erase_memory", "Can erase a memory for good"),
            ("hold_memory", "Can put a hold on a memory"),
            ("release_memory", "Can release a hold"),
            ("pin_memory", "Can pin an active memory"),
            ("unpin_memory", "Can unpin a memory"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["scope", "id"], name="memorykit_memory_scope_id"),
            models.UniqueConstraint(
                fields=["scope", "kind", "key"],
                condition=Q(state=State.ACTIVE.value),
                name="memorykit_memory_one_active",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[s.value for s in State]), name="memorykit_memory_state"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=[k.value for k in Kind]), name="memorykit_memory_kind"
            ),
            models.CheckConstraint(
                condition=(
                    _ERASED & Q(key="", content="", content_hash="", source_agent_id="", flags=[])
                )
                | (~_ERASED & ~Q(key="") & ~Q(content="") & ~Q(content_hash="")),
                name="memorykit_memory_erased_is_empty",
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")),
                name="memorykit_memory_validity",
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=0, importance__lte=100),
                name="memorykit_memory_importance",
            ),
            models.CheckConstraint(
                condition=Q(confidence__gte=0.0, confidence__lte=1.0),
                name="memorykit_memory_confidence",
            ),
            models.CheckConstraint(
                condition=(
                    Q(state=State.INACTIVE.value)
                    & Q(left_as__in=[State.CANDIDATE.value, State.ACTIVE.value])
                )
                | (~Q(state=State.INACTIVE.value) & Q(left_as="")),
                name="memorykit_memory_left_as",
            ),
        ]
        indexes = [
            models.Index(
                fields=["scope", "state", "-updated_at", "id"], name="memorykit_memory_list"
            ),
            models.Index(fields=["scope", "kind", "key"], name="memorykit_memory_key"),
            models.Index(fields=["scope", "content_hash"], name="memorykit_memory_hash"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {str(self.id)[:8]}"


class Source(models.Model):
    """Where a memory comes from: a transcript message, a run, another memory."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    kind = models.CharField(max_length=64)
    ref = models.CharField(max_length=512)
    evidence_hash = models.CharField(max_length=512, blank=True)
    quote = models.TextField(blank=True)
    message_index = models.PositiveIntegerField(null=True, blank=True)
    quote_start = models.PositiveIntegerField(null=True, blank=True)
    quote_end = models.PositiveIntegerField(null=True, blank=True)

    objects = ScopedManager["Source"]()

    class Meta:
        db_table = "memorykit_source"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "memory", "kind", "ref"], name="memorykit_source_unique"
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "kind", "ref"], name="memorykit_source_ref"),
            models.Index(fields=["memory"], name="memorykit_source_memory"),
        ]

    def __str__(self) -> str:
        return f"source {str(self.id)[:8]}"


class Revision(models.Model):
    """One step in the life of a memory: append-only, redacted by erase and by nothing else."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    version = models.PositiveIntegerField()
    action = models.CharField(max_length=16)
    state = models.CharField(max_length=16, choices=_STATES)
    actor = models.CharField(max_length=512)
    reason = models.CharField(max_length=64, blank=True)
    note = models.CharField(max_length=512, blank=True)
    related_id = models.UUIDField(null=True, blank=True)
    snapshot = models.JSONField()
    content_erased = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    objects = ScopedManager["Revision"]()

    class Meta:
        db_table = "memorykit_revision"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "memory", "version"], name="memorykit_revision_version"
            ),
        ]
        indexes = [
            models.Index(fields=["memory", "version"], name="memorykit_revision_memory"),
            models.Index(fields=["scope", "created_at"], name="memorykit_revision_time"),
        ]

    def __str__(self) -> str:
        return f"revision {self.version} of {str(self.memory_id)[:8]}"


class Term(models.Model):
    """One search term of an active memory (`domain.terms`); only active records have any."""

    pk = models.CompositePrimaryKey("scope_id", "term", "memory_id")
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    term = models.CharField(max_length=128)
    memory = models.ForeignKey(
        Memory, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    weight = models.SmallIntegerField(default=1)

    objects = ScopedManager["Term"]()

    class Meta:
        db_table = "memorykit_term"
        default_permissions = ()
        indexes = [models.Index(fields=["memory"], name="memorykit_term_memory")]

    def __str__(self) -> str:
        return f"term of {str(self.memory_id)[:8]}"


class Idempotency(models.Model):
    """A create request that was answered: keyed digests and the id it made, nothing else."""

    id = models.UUIDField(primary_key=True, editable=False)
    scope = models.ForeignKey(ScopeRecord, on_delete=models.PROTECT, related_name="+")
    key_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64)
    memory_id = models.UUIDField()
    created_at = models.DateTimeField()

    objects = ScopedManager["Idempotency"]()

    class Meta:
        db_table = "memorykit_idempotency"
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "key_digest"], name="memorykit_idempotency_key"
            ),
        ]

    def __str__(self) -> str:
        return f"idempotency {str(self.id)[:8]}"
