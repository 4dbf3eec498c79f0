"""Jobs: extraction and embedding work, by state. Ids and codes; there is no payload to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy, ngettext

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import MemorykitError
from memorykit_app.domain.short_id import short_id
from memorykit_app.models import Job
from memorykit_app.services import jobs


@admin.register(Job)
class JobAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read only but for two actions: jobs are worked by leases, which a form must not touch."""

    list_display = (
        "short",
        "kind",
        "state",
        "tries",
        "due_at",
        "lease_owner",
        "lease_until",
        "failure_code",
        "result_count",
    )
    list_filter = ("state", "kind", "failure_code")
    ordering = ("-created_at", "-id")
    show_full_result_count = False
    list_per_page = 50
    actions = ("redrive", "cancel")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_redrive_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memorykit.redrive_job")

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memorykit.cancel_job")

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # The stock view looks for the row first, and so tells whether there is one.
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)

    @admin.action(description=gettext_lazy("Queue again"), permissions=["redrive"])
    def redrive(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        self._each(request, chosen, jobs.redrive)

    @admin.action(description=gettext_lazy("Cancel"), permissions=["cancel"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        self._each(request, chosen, jobs.cancel)

    @admin.display(description=gettext_lazy("id"))
    def short(self, job: Job) -> str:
        return short_id(job.pk)

    @admin.display(description=gettext_lazy("attempts"))
    def tries(self, job: Job) -> str:
        return f"{job.attempts} / {job.max_attempts}"

    def _each(self, request: HttpRequest, chosen: QuerySet[Job], act: Callable[..., Job]) -> None:
        """Act on each job by itself, and tell how many it worked for."""
        ids: list[UUID] = list(chosen.values_list("pk", flat=True)[: self.list_per_page])
        by, done = Principal.person(int(str(request.user.pk))), 0
        for job_id in ids:
            try:
                act(job_id, by=by)
            except MemorykitError:
                continue
            done += 1
        left = len(ids) - done
        self.message_user(
            request, ngettext("%(n)d job done.", "%(n)d jobs done.", done) % {"n": done}
        )
        if left:
            said = ngettext(
                "%(n)d job is in a state that does not allow this.",
                "%(n)d jobs are in a state that does not allow this.",
                left,
            )
            self.message_user(request, said % {"n": left}, messages.WARNING)
