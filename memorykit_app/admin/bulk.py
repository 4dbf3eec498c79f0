"""Bulk: several clean candidates decided together, each read in full, each on its own version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseNotAllowed
from django.utils.translation import gettext as _

from memorykit_app.admin import evidence, item, markup, priority, refusals, verbs, words
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.row import Row, row
from memorykit_app.domain.errors import InvalidMemory, MemorykitError
from memorykit_app.domain.states import State, Verb
from memorykit_app.forms import BULK, UNNAMED, DecisionForm
from memorykit_app.models import Memory, Source
from memorykit_app.services import memories
from memorykit_app.services.lifecycle import Command

_VERBS = (Verb.ACTIVATE.value, Verb.DISMISS.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One ticked candidate at the version that was shown, with its full text.

    `clean` ones may be activated together; the others need a look of their own.
    """

    row: Row
    memory: Memory
    text: str
    version: int
    clean: bool

    @property
    def token(self) -> str:
        return f"{self.row.id}:{self.version}"


def show(desk: Desk) -> HttpResponse:
    """Show every ticked text; once confirmed, decide each and list what became of it.

    Raises InvalidMemory for none or too many, and for a choice of a whole list.
    """
    request = desk.request
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if request.POST.get("select_across"):
        raise InvalidMemory("select_across", "only records that were shown are decided")
    ticked = _ticked(request.POST.getlist("chosen"))
    verb = request.POST.get("verb", "")
    with desk.sealed():
        chosen = _chosen(desk, ticked)
        if verb not in _VERBS:
            context = {
                "chosen": chosen,
                "any_clean": any(one.clean for one in chosen),
                "may_activate": desk.may(Verb.ACTIVATE),
                "may_dismiss": desk.may(Verb.DISMISS),
                "reasons": item.reasons(UNNAMED),
            }
            return desk.page("bulk", _("Decide together"), context)
    reason = request.POST.get("reason", UNNAMED)
    form = DecisionForm({"version": 1, "reason": reason, "note": request.POST.get("note", "")})
    if not form.is_valid():
        raise InvalidMemory(sorted(form.errors)[0], "is not valid")
    outcomes = [_decide(desk, one, verb, form) for one in chosen]
    with desk.sealed():
        done = sum(outcome["done"] for outcome in outcomes)
        context = {"outcomes": outcomes, "done": done, "left": len(outcomes) - done}
        return desk.page("bulk_done", _("Decided together"), context)


def _ticked(tokens: list[str]) -> dict[UUID, int]:
    if not 1 <= len(tokens) <= BULK:
        raise InvalidMemory("chosen", f"must be 1 to {BULK} candidates")
    try:
        pairs = (token.split(":") for token in tokens)
        return {UUID(memory_id): int(version) for memory_id, version in pairs}
    except ValueError:
        raise InvalidMemory("chosen", "must be ids with their versions") from None


def _chosen(desk: Desk, ticked: dict[UUID, int]) -> list[Chosen]:
    rows = Memory.objects.in_granted(desk.granted).filter(pk__in=ticked)
    found = priority.with_holder(rows.order_by("updated_at", "id"), desk.granted)
    sources: dict[UUID, list[Source]] = {memory.pk: [] for memory in found}
    for source in Source.objects.in_granted(desk.granted).filter(memory_id__in=sources):
        sources[source.memory_id].append(source)
    chosen = []
    for memory in found:
        shown = row(desk, memory)
        clean = (
            shown.clean
            and memory.state == State.CANDIDATE
            and evidence.quotes_stand(desk, memory, sources[memory.pk])
        )
        chosen.append(
            Chosen(
                row=shown,
                memory=memory,
                text=markup.text(memory.content),
                version=ticked[memory.pk],
                clean=clean,
            )
        )
    return chosen


def _decide(desk: Desk, one: Chosen, verb: str, form: DecisionForm) -> dict[str, Any]:
    outcome: dict[str, Any] = {"row": one.row, "done": True}
    if verb == Verb.ACTIVATE and not one.clean:
        return outcome | {"done": False, "word": _("needs a look of its own")}
    command = Command(
        scope=desk.scope_of(one.memory),
        by=desk.by,
        now=desk.now,
        expected_version=one.version,
        reason=(form.cleaned_data["reason"] or UNNAMED) if verb in verbs.REASONED else "",
        note=form.cleaned_data["note"],
    )
    try:
        if verb == Verb.ACTIVATE:
            verbs.activate_shown(one.memory, command, shown="")
        else:
            memories.dismiss(one.memory.pk, command)
    except MemorykitError as error:
        return outcome | {"done": False, "word": refusals.said(error)}
    return outcome | {"word": words.of(words.DONE, verb)}
