"""Item: one record with its change, its evidence, its surroundings and the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _

from memorykit_app import backends, conf
from memorykit_app.admin import (
    buttons,
    evidence,
    flags,
    history,
    listing,
    markup,
    neighbours,
    priority,
    queue,
    row,
    undo,
    words,
)
from memorykit_app.admin.desk import Desk
from memorykit_app.admin.people import Names
from memorykit_app.domain import diff
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State
from memorykit_app.forms import UNNAMED
from memorykit_app.models import Memory, Source
from memorykit_app.recall import packing


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsent:
    """A decision that was refused: why, and the reviewer's own words, to be kept."""

    refusal: str = ""
    changed: str = ""
    reason: str = UNNAMED
    note: str = ""
    errors: Mapping[str, Any] = field(default_factory=dict)


def show(desk: Desk, memory_id: UUID) -> HttpResponse:
    """Show one record of a granted scope. Raises MemoryNotFound."""
    return page(desk, memory_id, Unsent())


def page(desk: Desk, memory_id: UUID, unsent: Unsent, *, status: int = 200) -> HttpResponse:
    with desk.sealed():
        memory = desk.memory(memory_id)
        short = short_id(memory.pk)
        title = _("%(kind)s %(id)s") % {"kind": words.of(words.KINDS, memory.kind), "id": short}
        if memory.state == State.ERASED:
            return desk.page("tombstone", title, _tombstone(desk, memory), status=status)
        return desk.page("item", title, _whole(desk, memory, unsent), status=status)


def _whole(desk: Desk, memory: Memory, unsent: Unsent) -> dict[str, Any]:
    asked = listing.filters(desk, queue.VIEWS)
    holder = neighbours.holder_of(desk, memory)
    revisions = history.latest(desk, memory)
    same_key = neighbours.same_key(desk, memory)
    steps = [*revisions, *(step for _one, step in same_key)]
    names = Names([memory.created_by, *(step.actor for step in steps)])
    waiting = memory.state == State.CANDIDATE
    place = queue.position(desk, asked, memory) if waiting else None
    return {
        "memory": memory,
        "short": short_id(memory.pk),
        "kind": words.of(words.KINDS, memory.kind),
        "key": markup.text(memory.key),
        "state": words.of(words.STATES, memory.state),
        "place": desk.place(memory.scope_id),
        "author": names.of(memory.created_by),
        "provenance": words.of(words.PROVENANCE, memory.provenance),
        "flags": [flags.said(code) for code in memory.flags],
        "priority": priority.of(memory.flags, replaces=holder is not None) if waiting else None,
        "age": row.age(memory, now=desk.now) if waiting else None,
        "text": markup.text(memory.content),
        "plain": memory.content,
        "change": _change(memory, holder),
        "evidence": evidence.of(desk, memory, _sources(desk, memory)),
        "steps": history.steps(revisions, names),
        "older": len(revisions) > history.STEPS,
        "same_key": neighbours.rivals(same_key, names),
        "near": neighbours.near(desk, memory),
        "seen": _seen(desk, memory, holder),
        "buttons": buttons.of(desk, memory, revisions),
        "own": memory.created_by == desk.by.actor or memory.source_agent_id == desk.by.actor,
        "replaces": neighbours.token_of(holder),
        "reasons": reasons(unsent.reason),
        "unsent": unsent,
        "filters": asked,
        "position": place,
        "undo": undo.offered(desk),
    }


def reasons(chosen: str) -> list[dict[str, Any]]:
    """Return the presets, numbered from 1 as their keys are."""
    return [
        {
            "number": number,
            "code": code,
            "word": words.of(words.REASONS, code),
            "chosen": code == chosen,
        }
        for number, code in enumerate(conf.settings().reason_presets, start=1)
    ]


def _sources(desk: Desk, memory: Memory) -> list[Source]:
    if not desk.may_see_sources:
        return []
    rows = Source.objects.in_granted(desk.granted).filter(memory_id=memory.pk)
    return list(rows.order_by("kind", "ref"))


def _change(memory: Memory, holder: Memory | None) -> dict[str, Any] | None:
    """Return how this record differs from the active one, or None when there is none."""
    if holder is None:
        return None
    found = diff.compare(holder.content, memory.content)
    details = [
        (label, old, new)
        for label, old, new in (
            (_("Importance"), holder.importance, memory.importance),
            (_("Confidence"), round(holder.confidence, 2), round(memory.confidence, 2)),
            (_("Valid from"), holder.valid_from, memory.valid_from),
            (_("Valid until"), holder.valid_until, memory.valid_until),
        )
        if old != new
    ]
    return {
        "holder": holder,
        "short": short_id(holder.pk),
        "inline": markup.parts(found.parts),
        "old": markup.parts(found.old),
        "new": markup.parts(found.new),
        "raw_old": markup.text(holder.content),
        "same_text": not found.changed,
        "cut": found.cut,
        "details": details,
        "by_person": holder.created_by.startswith("person:")
        or bool(getattr(holder, "corrected", False)),
    }


def _seen(desk: Desk, memory: Memory, holder: Memory | None) -> dict[str, Any]:
    """Return what agents read under this key now and after an activation, at what cost."""
    now = memory if memory.state == State.ACTIVE else holder
    after = memory if memory.state == State.CANDIDATE else None
    ids = [one.pk for one in (now, after) if one]
    refs: dict[UUID, list[str]] = {memory_id: [] for memory_id in ids}
    # Counted for everybody; the references themselves are shown to those who may see sources.
    rows = Source.objects.in_granted(desk.granted).filter(memory_id__in=ids)
    for memory_id, ref in rows.values_list("memory_id", "ref"):
        refs[memory_id].append(ref)
    return {
        "now": markup.text(now.content) if now else "",
        "now_tokens": _cost(now, refs[now.pk]) if now else 0,
        "after": markup.text(after.content) if after else "",
        "after_tokens": _cost(after, refs[after.pk]) if after else 0,
        "waiting": after is not None,
    }


def _cost(memory: Memory, refs: list[str]) -> int:
    """Return the tokens that recall would count for a record."""
    told = packing.canonical(
        memory.pk, kind=memory.kind, key=memory.key, content=memory.content, source_refs=refs
    )
    return backends.token_counter().count(told)


def _tombstone(desk: Desk, memory: Memory) -> dict[str, Any]:
    revisions = history.latest(desk, memory)
    names = Names(one.actor for one in revisions)
    return {
        "memory": memory,
        "short": short_id(memory.pk),
        "place": desk.place(memory.scope_id),
        "steps": history.steps(revisions, names),
        "may_see_receipt": desk.user.has_perm("memorykit.view_erasurereceipt"),
    }
