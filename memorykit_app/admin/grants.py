"""Grants: which projects a person may see. Added and taken away, never edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from memorykit_app.forms import GrantForm
from memorykit_app.models import ReviewerGrant


@admin.register(ReviewerGrant)
class ReviewerGrantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = GrantForm
    list_display = ("user", "tenant_id", "subject_id", "created_at")
    list_filter = ("tenant_id",)
    list_select_related = ("user",)
    ordering = ("tenant_id", "subject_id", "user_id")
    show_full_result_count = False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
