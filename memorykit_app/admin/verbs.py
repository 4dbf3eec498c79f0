"""Verbs: one POST each, on the version that was shown, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memorykit_app.admin import item, listing, neighbours, queue, refusals, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.item import Unsent
from memorykit_app.admin.people import Names
from memorykit_app.domain.errors import Conflict, ContentRefused, InvalidMemory
from memorykit_app.domain.states import Verb
from memorykit_app.forms import UNNAMED, DecisionForm
from memorykit_app.models import Memory, Revision, sealed
from memorykit_app.services import lifecycle, memories
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

Act = Callable[[UUID, Command], Any]
_PLAIN: dict[str, Act] = {
    Verb.DISMISS.value: memories.dismiss,
    Verb.FORGET.value: memories.forget,
    Verb.RESTORE.value: memories.restore,
    Verb.REVERT.value: memories.revert,
    Verb.HOLD.value: memories.hold,
    Verb.RELEASE.value: memories.release,
    Verb.PIN.value: memories.pin,
    Verb.UNPIN.value: memories.unpin,
}
# The presets say why something is refused; the other verbs take a note only.
REASONED = frozenset({Verb.DISMISS.value, Verb.FORGET.value})
#: After these a reviewer goes on with the next candidate.
_ONWARD = frozenset({Verb.ACTIVATE.value, Verb.DISMISS.value})
_ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)


def decide(desk: Desk, memory_id: UUID, verb: str) -> HttpResponse:
    """Carry out one verb, or show the record again with what stood in the way."""
    if verb not in _PLAIN and verb != Verb.ACTIVATE:
        raise Http404
    if desk.request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    with desk.sealed():
        memory = desk.memory(memory_id)
    form = DecisionForm(desk.request.POST)
    if not form.is_valid():
        return _refused(desk, memory, form, str(next(iter(form.errors.values()))[0]), status=400)
    command = command_of(desk, memory, form, reasoned=verb in REASONED)
    try:
        if verb == Verb.ACTIVATE:
            activate_shown(memory, command, shown=form.cleaned_data["replaces"])
        else:
            _PLAIN[verb](memory_id, command)
    except Conflict as conflict:
        if not was_done(desk, memory_id, verb, command):
            return _refused(desk, memory, form, refusals.said(conflict), status=409)
    except (ContentRefused, InvalidMemory) as refusal:
        return _refused(desk, memory, form, refusals.said(refusal), status=400)
    return onward(desk, memory_id, form.cleaned_data["next"] if verb in _ONWARD else None, verb)


def command_of(desk: Desk, memory: Memory, form: DecisionForm, *, reasoned: bool) -> Command:
    """Return the command that a valid form stands for. Raises InvalidMemory."""
    found = form.cleaned_data
    return Command(
        scope=desk.scope_of(memory),
        by=desk.by,
        now=desk.now,
        expected_version=found["version"],
        reason=(found["reason"] or UNNAMED) if reasoned else "",
        note=found["note"],
    )


@guarded
def activate_shown(memory: Memory, command: Command, *, shown: str) -> None:
    """Activate a candidate, if what it replaces is what the reviewer saw.

    Raises Conflict when another record, or another version of it, holds the key by now.
    """
    with sealed(command.scope):
        lifecycle.lock_slot(command.scope, memory.kind, memory.key)
        holder = (
            Memory.objects.in_scope(command.scope)
            .filter(kind=memory.kind, key=memory.key, state="active")
            .exclude(pk=memory.pk)
            .first()
        )
        memories.activate(memory.pk, command)
        if neighbours.token_of(holder) != shown:
            # Told last: a reviewer without the right or with an old version hears of that.
            raise Conflict


def was_done(
    desk: Desk,
    memory_id: UUID,
    verb: str,
    command: Command,
    *,
    later: int = 1,
    content: str | None = None,
) -> bool:
    """Tell whether this very decision was carried out before: a form that was sent twice.

    `later` counts versions from the one that was shown; `content` asks for the same words too.
    """
    with desk.sealed():
        step = (
            Revision.objects.in_granted(desk.granted)
            .filter(
                memory_id=memory_id,
                version=command.expected_version + later,
                action=verb,
                actor=desk.by.actor,
            )
            .first()
        )
    if step is None:
        return False
    return content is None or step.snapshot.get("content") == content


def onward(desk: Desk, memory_id: UUID, following: UUID | None, verb: str) -> HttpResponse:
    """Lead on to the next candidate, the queue, or back to the record."""
    query = listing.filters(desk, queue.VIEWS).link(done=memory_id)
    if verb not in _ONWARD:
        target = reverse("admin:memorykit_item", args=[memory_id])
    elif following is not None:
        target = reverse("admin:memorykit_item", args=[following])
    else:
        target = reverse("admin:memorykit_queue")
    return HttpResponseRedirect(target + query)


def changed_by(desk: Desk, memory_id: UUID) -> str:
    """Return who changed a record last and how long ago, in one sentence."""
    with desk.sealed():
        last = (
            Revision.objects.in_granted(desk.granted)
            .filter(memory_id=memory_id)
            .order_by("-version")
            .first()
        )
    if last is None:
        return ""
    return _("%(action)s by %(actor)s %(time)s ago.") % {
        "action": words.of(words.DONE, last.action),
        "actor": Names([last.actor]).of(last.actor),
        "time": _seconds_or_more(desk.now - last.created_at),
    }


def _seconds_or_more(passed: timedelta) -> str:
    seconds = max(0, round(passed.total_seconds()))
    if seconds < 60:
        return ngettext("%(n)d second", "%(n)d seconds", seconds) % {"n": seconds}
    return timesince(_ORIGIN, _ORIGIN + passed)


def _refused(
    desk: Desk, memory: Memory, form: DecisionForm, refusal: str, *, status: int
) -> HttpResponse:
    unsent = Unsent(
        refusal=refusal,
        changed=changed_by(desk, memory.pk) if status == 409 else "",
        reason=str(form.data.get("reason") or UNNAMED),
        note=str(form.data.get("note", "")),
    )
    return item.page(desk, memory.pk, unsent, status=status)
