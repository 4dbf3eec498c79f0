"""Recall lab: ask as an agent would, and see how each record came to its place or did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memorykit_app.admin import markup, refusals, words
from memorykit_app.admin.desk import Desk
from memorykit_app.domain.errors import MemorykitError
from memorykit_app.domain.short_id import short_id
from memorykit_app.models import Memory
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.recall.search import recall
from memorykit_app.services import rehearsal
from memorykit_app.services.lifecycle import Command

CHANNELS = ("exact", "full_text", "vector")
_LONGEST = 2_000


class LabForm(forms.Form):
    """A question about one project. It travels by POST only: it may hold what was said."""

    scope = forms.ChoiceField(label=gettext_lazy("Project"))
    text = forms.CharField(label=gettext_lazy("Question"), max_length=_LONGEST, required=False)
    key = forms.CharField(label=gettext_lazy("Exact key"), max_length=1_024, required=False)
    as_of = forms.DateTimeField(label=gettext_lazy("What was valid at"), required=False)
    known_at = forms.DateTimeField(label=gettext_lazy("What was known at"), required=False)
    memory = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, desk: Desk, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        places = [(str(scope_id), desk.place(scope_id)) for scope_id in desk.scopes]
        self.fields["scope"] = forms.ChoiceField(label=gettext_lazy("Project"), choices=places)
        for name in ("as_of", "known_at"):
            self.fields[name].widget = forms.DateTimeInput(attrs={"type": "datetime-local"})

    def clean(self) -> dict[str, Any] | None:
        found = super().clean() or {}
        if not found.get("text", "").strip() and not found.get("key"):
            self.add_error("text", gettext_lazy("Ask something, or name a key."))
        return found

    def query(self) -> RecallQuery:
        found = self.cleaned_data
        return RecallQuery(
            text=found["text"],
            keys=(found["key"],) if found["key"] else (),
            as_of=found["as_of"],
            known_at=found["known_at"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One found record: its place in each channel, its score, and what became of it."""

    id: UUID
    short: str
    key: str
    excerpt: str
    ranks: tuple[str, ...]
    score: float
    share: int
    outcome: str
    kept: bool
    tokens: int | None


def show(desk: Desk) -> HttpResponse:
    """Show the empty lab, or what a question finds in a granted scope."""
    posted = desk.request.method == "POST"
    form = LabForm(desk.request.POST if posted else None, desk=desk)
    context: dict[str, Any] = {"form": form, "channels": [_channel(name) for name in CHANNELS]}
    status = 200
    if posted and form.is_valid():
        try:
            context |= _answered(desk, form)
        except MemorykitError as error:
            status, context["refusal"] = 400, refusals.said(error)
    elif posted:
        status = 400
    with desk.sealed():
        return desk.page("lab", _("Recall lab"), context, status=status)


def _answered(desk: Desk, form: LabForm) -> dict[str, Any]:
    scope = desk.scopes[UUID(form.cleaned_data["scope"])].scope
    memory_id = form.cleaned_data["memory"]
    if memory_id is None:
        answer = recall(form.query(), scope=scope, by=desk.by, now=desk.now, explain=True)
        return {"answer": answer, "lines": _lines(desk, answer)}
    with desk.sealed():
        memory = desk.memory(memory_id)
    command = Command(
        scope=desk.scope_of(memory), by=desk.by, now=desk.now, expected_version=memory.version
    )
    answer = rehearsal.rehearse(memory_id, form.query(), command)
    return {"answer": answer, "lines": _lines(desk, answer), "rehearsed": memory_id}


def _lines(desk: Desk, answer: RecallResult) -> list[Line]:
    """Return the found records, best first; only served ones are told as they were then."""
    served = {item.memory_id: item for item in answer.items}
    with desk.sealed():
        ids = [entry.memory_id for entry in answer.explained]
        stored = Memory.objects.in_granted(desk.granted).in_bulk(ids)
    top = max((entry.score for entry in answer.explained), default=0.0) or 1.0
    lines = []
    for entry in answer.explained:
        item, row = served.get(entry.memory_id), stored.get(entry.memory_id)
        told = item or row
        lines.append(
            Line(
                id=entry.memory_id,
                short=short_id(entry.memory_id),
                key=markup.excerpt(told.key if told else "", limit=80),
                excerpt=markup.excerpt(told.content if told else ""),
                ranks=tuple(str(entry.ranks.get(name, "–")) for name in CHANNELS),
                score=round(entry.score, 4),
                share=round(100 * max(0.0, entry.score) / top),
                outcome=words.of(words.OUTCOMES, entry.outcome),
                kept=entry.outcome == "kept",
                tokens=item.tokens if item else None,
            )
        )
    return lines


def _channel(name: str) -> str:
    return words.of(words.CHANNELS, name)
