"""Listing: what a list of the desk is narrowed to, its pages and its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet

from memorykit_app.admin import words
from memorykit_app.admin.desk import Desk
from memorykit_app.domain.errors import AccessDenied, InvalidMemory
from memorykit_app.domain.states import Kind
from memorykit_app.forms import FilterForm
from memorykit_app.models import Memory, access

PAGE = 25
M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The view that is open and what narrows it. `q` is never part of a link."""

    view: str
    scope: UUID | None = None
    kind: str = ""
    page: int = 1
    q: str = ""

    @property
    def narrowed(self) -> bool:
        return bool(self.scope or self.kind or self.q)

    def link(self, **changes: Any) -> str:
        """Return the query part of a link to this list with some of it changed."""
        parts: dict[str, Any] = {"view": self.view, "scope": self.scope, "kind": self.kind}
        return "?" + urlencode({k: v for k, v in (parts | changes).items() if v})

    def applied(self, rows: QuerySet[Memory], at: str = "") -> QuerySet[Memory]:
        """Narrow rows by scope, kind and text; `at` leads to the memory (`memory__`)."""
        if self.scope:
            rows = rows.filter(scope_id=self.scope)
        if self.kind:
            rows = rows.filter(**{f"{at}kind": self.kind})
        if self.q:
            rows = rows.filter(
                Q(**{f"{at}content__icontains": self.q}) | Q(**{f"{at}key__icontains": self.q})
            )
        return rows


def filters(desk: Desk, views: Sequence[str]) -> Filters:
    """Read the filters of a request; a search text counts in a POST only.

    Raises InvalidMemory, or AccessDenied for a scope that was not granted.
    """
    narrowed = {name: value for name, value in desk.request.GET.items() if name != "q"}
    form = FilterForm(narrowed | desk.request.POST.dict())
    if not form.is_valid():
        raise InvalidMemory(sorted(form.errors)[0], "is not valid: open the list anew")
    found = form.cleaned_data
    if found["scope"] and found["scope"] not in desk.scopes:
        raise AccessDenied(access.READ)
    return Filters(
        view=found["view"] if found["view"] in views else views[0],
        scope=found["scope"],
        kind=found["kind"],
        page=found["page"] or 1,
        q=found["q"],
    )


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """One page of rows, and whether there are pages around it."""

    rows: Sequence[M]
    number: int
    more: bool

    @property
    def before(self) -> int:
        return self.number - 1

    @property
    def after(self) -> int:
        return self.number + 1 if self.more else 0


def page(rows: QuerySet[Any], number: int) -> Page[Any]:
    start = (number - 1) * PAGE
    found = list(rows[start : start + PAGE + 1])
    return Page(found[:PAGE], number, len(found) > PAGE)


def choices(desk: Desk) -> dict[str, list[tuple[str, str]]]:
    """Return what the filter boxes offer: granted scopes and kinds."""
    return {
        "scopes": [(str(scope_id), desk.place(scope_id)) for scope_id in desk.scopes],
        "kinds": [(kind.value, words.of(words.KINDS, kind.value)) for kind in Kind],
    }
