"""Host keys: which hosts may call. Minting, rotating and revoking is for `memorykit_hostkey`."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from memorykit_app.models import HostKey


@admin.register(HostKey)
class HostKeyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read only, and never the hash."""

    list_display = (
        "prefix",
        "name",
        "tenant_id",
        "projects",
        "capabilities",
        "expires_at",
        "revoked_at",
        "last_used_on",
    )
    list_filter = ("tenant_id",)
    ordering = ("-created_at",)
    exclude = ("secret_hash",)
    show_full_result_count = False
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
