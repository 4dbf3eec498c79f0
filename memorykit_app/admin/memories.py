"""Memories: every record of the granted scopes, by state; and the routes of the desk."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from memorykit_app.admin import (
    bulk,
    correct,
    erase,
    item,
    lab,
    listing,
    queue,
    statistics,
    verbs,
    words,
)
from memorykit_app.admin.desk import Desk, DeskAdmin
from memorykit_app.admin.row import row
from memorykit_app.domain.states import State
from memorykit_app.models import Memory, access

VIEWS = tuple(
    state.value for state in (State.ACTIVE, State.CANDIDATE, State.INACTIVE, State.ERASED)
)


def show(desk: Desk) -> HttpResponse:
    """List the records of one state, newest change first."""
    asked = listing.filters(desk, VIEWS)
    with desk.sealed():
        rows = Memory.objects.in_granted(desk.granted).filter(state=asked.view)
        page = listing.page(asked.applied(rows).order_by("-updated_at", "id"), asked.page)
        context = {
            "filters": asked,
            "page": page,
            "rows": [row(desk, memory) for memory in page.rows],
            "tabs": [
                {
                    "word": words.of(words.STATES, view),
                    "count": None,
                    "link": asked.link(view=view),
                    "open": view == asked.view,
                }
                for view in VIEWS
            ],
            **listing.choices(desk),
        }
        return desk.page("memories", _("Memories"), context)


@admin.register(Memory)
class MemoryReviewAdmin(DeskAdmin):
    """The review desk. Records are changed by the verbs only, never by a form of fields."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return access.may(request.user, access.READ)

    def get_urls(self) -> list[URLPattern]:
        return [
            path("", self.view(show), name="memorykit_memory_changelist"),
            path("review/", self.view(queue.show), name="memorykit_queue"),
            path("lab/", self.view(lab.show), name="memorykit_lab"),
            path("statistics/", self.view(statistics.show), name="memorykit_statistics"),
            path(
                "statistics/<slug:chart>.csv",
                self.view(statistics.table),
                name="memorykit_statistics_csv",
            ),
            path("review/together/", self.view(bulk.show), name="memorykit_bulk"),
            path("<uuid:memory_id>/", self.view(item.show), name="memorykit_item"),
            path("<uuid:memory_id>/correct/", self.view(correct.show), name="memorykit_correct"),
            path("<uuid:memory_id>/erase/", self.view(erase.show), name="memorykit_erase"),
            path("<uuid:memory_id>/<slug:verb>/", self.view(verbs.decide), name="memorykit_decide"),
        ]
