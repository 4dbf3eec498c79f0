"""Receipts: what erasures took away. Counts and codes, never what a record said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from memorykit_app.admin import listing, words
from memorykit_app.admin.desk import Desk, DeskAdmin
from memorykit_app.admin.people import Names
from memorykit_app.domain.errors import AccessDenied, MemoryNotFound
from memorykit_app.domain.short_id import short_id
from memorykit_app.models import ErasureReceipt

_VIEWS = ("all",)


def show(desk: Desk) -> HttpResponse:
    """List the receipts of the granted scopes, newest first."""
    asked = listing.filters(desk, _VIEWS)
    with desk.sealed():
        rows = ErasureReceipt.objects.in_granted(desk.granted)
        if asked.scope:
            rows = rows.filter(scope_id=asked.scope)
        page = listing.page(rows.order_by("-created_at", "-id"), asked.page)
        context = {
            "filters": asked,
            "page": page,
            "receipts": _shown(desk, page.rows),
            **listing.choices(desk),
        }
        return desk.page("receipts", _("Erasure receipts"), context)


def one(desk: Desk, receipt_id: UUID) -> HttpResponse:
    """Show one receipt: to those who may erase, and to those who may see receipts."""
    with desk.sealed():
        receipt = ErasureReceipt.objects.in_granted(desk.granted).filter(pk=receipt_id).first()
        if receipt is None:
            raise MemoryNotFound
        shown = _shown(desk, [receipt])[0]
        title = _("Erasure receipt %(id)s") % {"id": short_id(receipt.pk)}
        return desk.page("receipt", title, {"receipt": receipt, "shown": shown})


def _shown(desk: Desk, receipts: Sequence[ErasureReceipt]) -> list[dict[str, Any]]:
    if not desk.user.has_perm("memorykit.view_erasurereceipt") and not desk.may("erase"):
        raise AccessDenied("erase")
    names = Names(receipt.actor for receipt in receipts)
    return [
        {
            "id": receipt.pk,
            "short": short_id(receipt.pk),
            "memory_id": receipt.memory_id,
            "memory_short": short_id(receipt.memory_id) if receipt.memory_id else "",
            "place": desk.place(receipt.scope_id),
            "actor": names.of(receipt.actor),
            "reason": words.of(words.REASONS, receipt.reason) if receipt.reason else "",
            "at": receipt.created_at,
            "counts": [
                (words.of(words.STORES, name), count)
                for name, count in sorted(receipt.counts.items())
            ],
        }
        for receipt in receipts
    ]


@admin.register(ErasureReceipt)
class ErasureReceiptAdmin(DeskAdmin):
    """Read only; the rows are shown inside the seal of the granted scopes."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("memorykit.view_erasurereceipt")

    def get_urls(self) -> list[URLPattern]:
        return [
            path("", self.view(show), name="memorykit_erasurereceipt_changelist"),
            path("<uuid:receipt_id>/", self.view(one), name="memorykit_receipt"),
        ]
