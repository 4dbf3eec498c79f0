"""The policy explicit-write-v1: which writes of a model need no person first."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from memorykit_app import conf
from memorykit_app.domain import identity
from memorykit_app.domain.actors import ActorClass
from memorykit_app.domain.drafts import Draft
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State
from memorykit_app.models import Memory, Revision
from memorykit_app.services import content as content_check

NAME = "explicit-write-v1"
_MODEL, _SYSTEM = f"{ActorClass.MODEL.value}:", f"{ActorClass.SYSTEM.value}:"


def in_force() -> bool:
    """Tell whether the host lets a model's writes be active at all."""
    return conf.settings().explicit_writes == NAME


def unflagged(draft: Draft, why: str) -> bool:
    """Tell whether a look at these words finds nothing: what it flags is for a person.

    Raises ContentRefused.
    """
    return not content_check.flags_for(
        key=draft.key, content=draft.content, note=why, sources=draft.sources
    )


def serving(rows: QuerySet[Memory], content: str, now: datetime) -> Memory | None:
    """Return the active, effective record with this text: one that every agent may see."""
    return rows.filter(
        Q(valid_until__isnull=True) | Q(valid_until__gt=now),
        state=State.ACTIVE.value,
        valid_from__lte=now,
        content_hash=identity.content_hash(content),
    ).first()


def _others(rows: QuerySet[Memory], scope: Scope) -> QuerySet[Memory]:
    """Return the records of a scope that are not models' own, or that others touched since."""
    by_others = (
        Revision.objects.in_scope(scope)
        .filter(memory_id=OuterRef("pk"))
        .exclude(actor__startswith=_MODEL)
        .exclude(actor__startswith=_SYSTEM)
    )
    return rows.filter(~Q(created_by__startswith=_MODEL) | Exists(by_others))


def untouched(rows: QuerySet[Memory], scope: Scope) -> bool:
    """Tell whether these records are models' own and no person, host or operator touched one."""
    return not _others(rows, scope).exists()
