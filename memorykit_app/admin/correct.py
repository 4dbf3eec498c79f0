"""Correct: new words for a record, looked at as a diff, saved, and activated if wished."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _

from memorykit_app.admin import item, listing, markup, neighbours, queue, refusals, verbs
from memorykit_app.admin.desk import Desk
from memorykit_app.domain import diff
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import (
    AccessDenied,
    Conflict,
    ContentRefused,
    InvalidMemory,
    KeyTaken,
)
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State, Verb
from memorykit_app.forms import UNNAMED, CorrectionForm
from memorykit_app.models import Memory, Source, sealed
from memorykit_app.services import correction
from memorykit_app.services.correction import Correction
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

_FIELDS = ("content", "key", "importance", "confidence", "valid_from", "valid_until")


def show(desk: Desk, memory_id: UUID) -> HttpResponse:
    """Show the form, the diff of what was typed, or save it: one URL for all three."""
    if not desk.may(Verb.CORRECT):
        raise AccessDenied(Verb.CORRECT)
    with desk.sealed():
        memory = desk.memory(memory_id)
        if memory.state == State.ERASED:
            return item.page(desk, memory_id, item.Unsent())
        if desk.request.method != "POST":
            return _page(desk, memory, _form(memory, None))
    form = _form(memory, desk.request.POST)
    then = desk.request.POST.get("then", "")
    if not form.is_valid() or then == "look":
        return _again(desk, memory_id, form, status=200 if form.is_valid() else 400)
    command = verbs.command_of(desk, memory, form, reasoned=True)
    try:
        _save(memory, command, form, activate=then == Verb.ACTIVATE)
    except Conflict as conflict:
        if not _was_saved(desk, memory_id, command, form, activate=then == Verb.ACTIVATE):
            return _again(desk, memory_id, form, refusal=refusals.said(conflict), status=409)
    except (ContentRefused, InvalidMemory) as refusal:
        return _again(desk, memory_id, form, refusal=refusals.said(refusal), status=400)
    following = form.cleaned_data["next"]
    verb = Verb.ACTIVATE if then == Verb.ACTIVATE else Verb.CORRECT
    return verbs.onward(desk, memory_id, following, verb.value)


@guarded
def _save(memory: Memory, command: Command, form: CorrectionForm, *, activate: bool) -> None:
    """Correct, and activate in the same transaction. Raises what the services raise."""
    found = form.cleaned_data
    with sealed(command.scope):
        rows = Source.objects.in_scope(command.scope).filter(memory_id=memory.pk)
        corrected = correction.correct(
            memory.pk,
            command,
            Correction(
                **{name: found[name] for name in _FIELDS if name in found},
                sources=tuple(_kept(source) for source in rows.order_by("kind", "ref")),
            ),
        )
        if not activate:
            return
        shown = found["replaces"] if corrected.key == memory.key else ""
        onward = Command(
            scope=command.scope,
            by=command.by,
            now=command.now,
            expected_version=corrected.version,
        )
        try:
            verbs.activate_shown(corrected, onward, shown=shown)
        except Conflict as conflict:
            if corrected.key != memory.key:
                raise KeyTaken from conflict
            raise


def _was_saved(
    desk: Desk, memory_id: UUID, command: Command, form: CorrectionForm, *, activate: bool
) -> bool:
    words_typed = form.cleaned_data["content"]
    saved = verbs.was_done(desk, memory_id, Verb.CORRECT.value, command, content=words_typed)
    if not saved or not activate:
        return saved
    return verbs.was_done(desk, memory_id, Verb.ACTIVATE.value, command, later=2)


def _kept(source: Source) -> SourceRef:
    return SourceRef(
        kind=source.kind,
        ref=source.ref,
        evidence_hash=source.evidence_hash,
        quote=source.quote,
        message_index=source.message_index,
        quote_start=source.quote_start,
        quote_end=source.quote_end,
    )


def _form(memory: Memory, data: Any) -> CorrectionForm:
    return CorrectionForm(
        data,
        record=memory,
        candidate=memory.state == State.CANDIDATE,
        initial={name: getattr(memory, name) for name in _FIELDS} | {"version": memory.version},
    )


def _again(
    desk: Desk, memory_id: UUID, form: CorrectionForm, *, refusal: str = "", status: int
) -> HttpResponse:
    changed = verbs.changed_by(desk, memory_id) if status == 409 else ""
    with desk.sealed():
        memory = desk.memory(memory_id)
        if memory.state == State.ERASED:
            return item.page(desk, memory_id, item.Unsent(), status=status)
        return _page(desk, memory, form, refusal=refusal, changed=changed, status=status)


def _page(
    desk: Desk,
    memory: Memory,
    form: CorrectionForm,
    *,
    refusal: str = "",
    changed: str = "",
    status: int = 200,
) -> HttpResponse:
    holder = neighbours.holder_of(desk, memory)
    asked = listing.filters(desk, queue.VIEWS)
    waiting = memory.state == State.CANDIDATE
    place = queue.position(desk, asked, memory) if waiting else None
    typed = str(form.data.get("content", "")).replace("\r\n", "\n") if form.is_bound else ""
    short = short_id(memory.pk)
    context = {
        "memory": memory,
        "short": short,
        "key": markup.text(memory.key),
        "place": desk.place(memory.scope_id),
        "form": form,
        "refusal": refusal,
        "changed": changed,
        # What the page shows now is what the next attempt is about.
        "version": memory.version,
        "replaces": neighbours.token_of(holder),
        "next": place.after if place else None,
        "reasons": item.reasons(str(form.data.get("reason") or UNNAMED)),
        "own": markup.parts(diff.compare(memory.content, typed).parts) if typed else "",
        "against": markup.parts(diff.compare(holder.content, typed or memory.content).parts)
        if holder
        else "",
        "may_activate": waiting
        and desk.may(Verb.ACTIVATE)
        and desk.by.actor not in (memory.created_by, memory.source_agent_id),
        "filters": asked,
        "waiting": waiting,
    }
    title = _("Correct %(id)s") % {"id": short}
    return desk.page("correct", title, context, status=status)
