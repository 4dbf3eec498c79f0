"""What an erase of many takes: the records of one source, a lineage, or a whole scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memorykit_app.domain import validation
from memorykit_app.domain.errors import InvalidMemory, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import Memory, Revision, Source
from memorykit_app.services import transcripts

#: The kind of a source that is itself a memory; its ref is the id, alone or as `memory:<id>`.
MEMORY = "memory"
_REF_CHARS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """One of: a memory, everything from one source, the whole scope.

    `lineage` adds what was derived from each record, and the versions it superseded. Raises
    InvalidMemory.
    """

    memory_id: UUID | None = None
    source_ref: str = ""
    everything: bool = False
    lineage: bool = False

    def __post_init__(self) -> None:
        named = [self.memory_id is not None, self.source_ref != "", self.everything]
        if named.count(True) != 1:
            raise InvalidMemory("selection", "must be one memory, one source, or everything")
        validation.text("source_ref", self.source_ref, limit=_REF_CHARS)

    @property
    def transcript_id(self) -> UUID | None:
        """The transcript that is the source, if the ref names one."""
        return transcripts.id_of(transcripts.KIND, self.source_ref)


def living(selection: Selection, scope: Scope) -> list[UUID]:
    """Return the ids that are left to erase, in an order that can be taken up again.

    Runs in the caller's sealed transaction. Raises MemoryNotFound.
    """
    rows = Memory.objects.in_scope(scope)
    if selection.everything:
        found = list(rows.order_by("id").values_list("pk", flat=True))
    elif selection.memory_id is not None:
        if not rows.filter(pk=selection.memory_id).exists():
            raise MemoryNotFound
        found = [selection.memory_id]
    else:
        found = _from_source(selection, scope)
    if selection.lineage and not selection.everything:
        found = _with_lineage(found, scope)
    left = rows.filter(pk__in=found).exclude(state=State.ERASED.value)
    kept = set(left.values_list("pk", flat=True))
    return [memory_id for memory_id in found if memory_id in kept]


def _from_source(selection: Selection, scope: Scope) -> list[UUID]:
    """Return records that name the source now or named it in a revision that still has text."""
    refs = {selection.source_ref}
    if selection.transcript_id is not None:
        refs.add(transcripts.ref_of(selection.transcript_id))
    found: set[UUID] = set()
    for ref in refs:
        found.update(
            Source.objects.in_scope(scope).filter(ref=ref).values_list("memory_id", flat=True)
        )
        past = Revision.objects.in_scope(scope).filter(
            content_erased=False, snapshot__sources__contains=[{"ref": ref}]
        )
        found.update(past.values_list("memory_id", flat=True))
    return sorted(found)


def _with_lineage(roots: Sequence[UUID], scope: Scope) -> list[UUID]:
    """Return the roots last: while they stand, an erase that stopped finds the rest again."""
    found = dict.fromkeys(roots)
    fresh = list(roots)
    while fresh:
        fresh = [
            memory_id
            for memory_id in (*_derived(fresh, scope), *_superseded(fresh, scope))
            if memory_id not in found
        ]
        found |= dict.fromkeys(fresh)
    return list(reversed(found))


def _derived(parents: Sequence[UUID], scope: Scope) -> list[UUID]:
    refs = [ref for parent in parents for ref in (str(parent), f"{MEMORY}:{parent}")]
    rows = Source.objects.in_scope(scope).filter(kind=MEMORY, ref__in=refs)
    return sorted(set(rows.values_list("memory_id", flat=True)))


def _superseded(heirs: Sequence[UUID], scope: Scope) -> list[UUID]:
    past = Revision.objects.in_scope(scope).filter(
        action=Verb.SUPERSEDE.value, related_id__in=heirs
    )
    # One that came back since is no past version any more.
    still = Memory.objects.in_scope(scope).filter(
        pk__in=past.values("memory_id"), state=State.INACTIVE.value
    )
    return list(still.order_by("pk").values_list("pk", flat=True))
