"""Erase: what goes is shown first, the short id is typed, and a receipt stays."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memorykit_app.admin import item, markup, refusals, verbs, words
from memorykit_app.admin.desk import Desk
from memorykit_app.domain.errors import AccessDenied, Conflict, InvalidMemory
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State, Verb
from memorykit_app.forms import UNNAMED, ErasureForm
from memorykit_app.models import Memory
from memorykit_app.services import erasure


def show(desk: Desk, memory_id: UUID) -> HttpResponse:
    """Show what an erase would take away, or carry it out and lead to the receipt."""
    if not desk.may(Verb.ERASE):
        raise AccessDenied(Verb.ERASE)
    with desk.sealed():
        memory = desk.memory(memory_id)
    if memory.state == State.ERASED:
        return item.page(desk, memory_id, item.Unsent())
    if desk.request.method != "POST":
        return _page(desk, memory, ErasureForm(memory_id=memory_id))
    form = ErasureForm(desk.request.POST, memory_id=memory_id)
    if not form.is_valid():
        return _page(desk, memory, form, status=400)
    command = verbs.command_of(desk, memory, form, reasoned=True)
    try:
        receipt = erasure.erase(memory_id, command)
    except Conflict as conflict:
        return _page(desk, memory, form, refusal=refusals.said(conflict), status=409)
    except InvalidMemory as refusal:
        return _page(desk, memory, form, refusal=refusals.said(refusal), status=400)
    return HttpResponseRedirect(reverse("admin:memorykit_receipt", args=[receipt.pk]))


def _page(
    desk: Desk, memory: Memory, form: ErasureForm, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    counts = erasure.preview(memory.pk, scope=desk.scope_of(memory), by=desk.by)
    changed = verbs.changed_by(desk, memory.pk) if status == 409 else ""
    with desk.sealed():
        memory = desk.memory(memory.pk)
        short = short_id(memory.pk)
        context = {
            "memory": memory,
            "short": short,
            "key": markup.text(memory.key),
            "text": markup.text(memory.content),
            "place": desk.place(memory.scope_id),
            "counts": [(words.of(words.STORES, name), count) for name, count in counts.items()],
            "form": form,
            "refusal": refusal,
            "changed": changed,
            "reasons": item.reasons(str(form.data.get("reason") or UNNAMED)),
        }
        title = _("Erase %(id)s") % {"id": short}
        return desk.page("erase", title, context, status=status)
