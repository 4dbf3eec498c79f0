"""The desk: who sits at it, which scopes they were granted, and how a page gets rendered.

Every page is rendered inside the seal of the granted scopes, so nothing else can be on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from memorykit_app import backends
from memorykit_app.admin import refusals
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    AccessDenied,
    Conflict,
    InvalidMemory,
    MemorykitError,
    MemoryNotFound,
    Unavailable,
)
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Granted, Memory, ReviewerGrant, ScopeRecord, access, sealed

_STATUS: tuple[tuple[type[MemorykitError], int], ...] = (
    (AccessDenied, 403),
    (MemoryNotFound, 404),
    (InvalidMemory, 400),
    (Conflict, 409),
    (Unavailable, 503),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One request of one person. `scopes` are the granted ones, by id."""

    site: admin.AdminSite
    request: HttpRequest
    granted: Granted
    scopes: Mapping[UUID, ScopeRecord]
    now: datetime

    @property
    def user(self) -> Any:
        return self.request.user

    @property
    def by(self) -> Principal:
        return Principal.person(self.user.pk)

    def may(self, verb: str) -> bool:
        return access.may(self.user, verb)

    @property
    def may_see_sources(self) -> bool:
        return bool(self.user.has_perm("memorykit.view_memory_source"))

    @property
    def has_grants(self) -> bool:
        """Tell whether any project was granted, with records in it or not."""
        return bool(self.scopes) or ReviewerGrant.objects.filter(user_id=self.user.pk).exists()

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """Show the granted scopes to the queries inside, and no others."""
        with sealed(self.granted):
            yield

    def memory(self, memory_id: UUID) -> Memory:
        """Return a record of a granted scope, inside the seal. Raises MemoryNotFound."""
        found = Memory.objects.in_granted(self.granted).filter(pk=memory_id).first()
        if found is None:
            raise MemoryNotFound
        return found

    def scope_of(self, memory: Memory) -> Scope:
        return self.scopes[memory.scope_id].scope

    def place(self, scope_id: UUID) -> str:
        """Return a granted scope as people name it."""
        record = self.scopes[scope_id]
        return f"{record.tenant_id} / {record.subject_id}"

    def page(
        self, template: str, title: str, context: Mapping[str, Any], *, status: int = 200
    ) -> HttpResponse:
        """Render a page of the desk now, while the caller's seal is open."""
        whole = {
            **self.site.each_context(self.request),
            "title": title,
            "desk": self,
            "now": self.now,
            **context,
        }
        return render(self.request, f"admin/memorykit/{template}.html", whole, status=status)


View = Callable[..., HttpResponse]


def opened(site: admin.AdminSite, view: View) -> Callable[..., Any]:
    """Wrap a view of the desk: log-in, the right to view, and a page for each refusal.

    The view takes the Desk and what the URL holds; it may raise MemorykitError.
    """

    @wraps(view)
    def run(request: HttpRequest, **place: Any) -> HttpResponse:
        records = access.granted_records(request.user)
        desk = Desk(
            site=site,
            request=request,
            granted=Granted(record.id for record in records),
            scopes={record.id: record for record in records},
            now=backends.clock().now(),
        )
        try:
            if not desk.may(access.READ):
                raise AccessDenied(access.READ)
            return view(desk, **place)
        except MemorykitError as error:
            return _refusal(desk, error)

    return site.admin_view(sensitive_post_parameters()(run))


def _refusal(desk: Desk, error: MemorykitError) -> HttpResponse:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    context = {"refusal": refusals.said(error), "status": status}
    return desk.page("refused", _("Not possible"), context, status=status)


class DeskAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Pages of the desk in place of the stock add, change and delete forms."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def view(self, view: View) -> Callable[..., Any]:
        return opened(self.admin_site, view)
