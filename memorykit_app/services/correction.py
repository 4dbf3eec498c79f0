"""Correct: new words for a record, its state kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memorykit_app import conf
from memorykit_app.domain import identity, validation
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import Conflict
from memorykit_app.domain.states import State, Verb
from memorykit_app.models import Embedding, Memory, Source, sealed
from memorykit_app.services import content as content_check
from memorykit_app.services import creation, lifecycle, scopes
from memorykit_app.services.extraction import OUTSIDE_TEXT, QUOTE_NOT_FOUND
from memorykit_app.services.faults import guarded
from memorykit_app.services.lifecycle import Command

ORIGIN = frozenset({OUTSIDE_TEXT, QUOTE_NOT_FOUND})


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The words that replace the old ones; no sources given means none left.

    Without `valid_from` the record keeps its own. `key` may be given for a candidate only
    ("keep both").
    """

    content: str
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    importance: int = 0
    confidence: float = 0.0
    sources: tuple[SourceRef, ...] = ()
    key: str | None = None


@guarded
def correct(memory_id: UUID, asked: Command, words: Correction) -> Memory:
    """Replace content, validity, importance, confidence and sources of a record.

    Raises InvalidMemory, ContentRefused, FingerprintBlocked, MemoryNotFound, AccessDenied or
    Conflict; then nothing has been written.
    """
    limits = conf.settings().limits
    content = validation.content(words.content, limits)
    if words.valid_from is not None:
        validation.validity(words.valid_from, words.valid_until)
    sources = validation.sources(words.sources, limits)
    importance = validation.importance(words.importance)
    confidence = validation.confidence(words.confidence)
    new_key = None if words.key is None else validation.key(words.key, limits)
    flags = content_check.flags_for(
        key=new_key or "", content=content, note=asked.note, sources=sources
    )
    with sealed(asked.scope):
        memory, step = lifecycle.begin(memory_id, Verb.CORRECT, asked)
        if new_key is not None and new_key != memory.key and memory.state != State.CANDIDATE:
            raise Conflict("the key changes on a candidate only")
        valid_from = words.valid_from or memory.valid_from
        validation.validity(valid_from, words.valid_until)
        record = scopes.ensure(asked.scope, now=asked.now)
        content_check.refuse_erased(record, asked.scope, content)
        rows = _replace_sources(memory, sources, asked)
        Embedding.objects.in_scope(asked.scope).filter(memory_id=memory.pk).exclude(
            content_hash=identity.content_hash(content)
        ).delete()
        return lifecycle.write(
            memory,
            step,
            asked,
            sources=rows,
            key=memory.key if new_key is None else new_key,
            content=content,
            content_hash=identity.content_hash(content),
            valid_from=valid_from,
            valid_until=words.valid_until,
            importance=importance,
            confidence=confidence,
            flags=sorted({*flags, *_of_origin(memory, sources)}),
        )


def _of_origin(memory: Memory, sources: tuple[SourceRef, ...]) -> frozenset[str]:
    """Return what the old flags say of the source: new words do not change where it came from."""
    return ORIGIN.intersection(memory.flags) if sources else frozenset()


def _replace_sources(
    memory: Memory, sources: tuple[SourceRef, ...], asked: Command
) -> list[Source]:
    Source.objects.in_scope(asked.scope).filter(memory_id=memory.pk).delete()
    return Source.objects.in_scope(asked.scope).bulk_create(creation.source_rows(memory, sources))
