"""Evidence: the words a record rests on, marked in the messages around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Func, JSONField, Value
from django.utils.translation import gettext as _

from memorykit_app.admin import markup
from memorykit_app.admin.desk import Desk
from memorykit_app.domain import transcript_format
from memorykit_app.domain.messages import Message
from memorykit_app.domain.short_id import short_id
from memorykit_app.models import Memory, Source, Transcript
from memorykit_app.services import transcripts

_BEFORE, _AFTER = 2, 1
_AROUND = 200
_BESIDE = 280

FOUND, NOT_FOUND, NO_QUOTE, GONE, UNCHECKED = (
    "found",
    "not-found",
    "no-quote",
    "gone",
    "unchecked",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message around a quote; `text` is inert markup, `quoted` holds the quote."""

    number: int
    role: str
    name: str
    at: Any
    text: str
    quoted: bool
    outside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One source: where it points, its quote, and whether the quote stands there."""

    kind: str
    ref: str
    quote: str
    badge: str
    word: str
    lines: tuple[Line, ...] = ()


def of(desk: Desk, memory: Memory, sources: list[Source]) -> list[Evidence]:
    """Return the evidence of a record, inside the seal."""
    return [_one(desk, memory, source) for source in sources]


def quotes_stand(desk: Desk, memory: Memory, sources: list[Source]) -> bool:
    """Tell whether every quote was found where it is said to stand."""
    return bool(sources) and all(
        one.badge in (FOUND, UNCHECKED) for one in of(desk, memory, sources)
    )


def _one(desk: Desk, memory: Memory, source: Source) -> Evidence:
    quote = markup.text(source.quote)
    transcript_id = transcripts.id_of(source.kind, source.ref)
    if transcript_id is None:
        badge, word = (UNCHECKED, _("quote not checked")) if source.quote else _no_quote()
        return Evidence(
            kind=source.kind, ref=markup.excerpt(source.ref), quote=quote, badge=badge, word=word
        )
    index = source.message_index
    messages = _around(desk, memory, transcript_id, index or 0)
    ref = f"{source.kind} {short_id(transcript_id)}"
    if messages is None:
        return Evidence(
            kind=source.kind, ref=ref, quote=quote, badge=GONE, word=_("source erased or expired")
        )
    at = next((one for one in messages if one.index == index), None)
    start, end = source.quote_start, source.quote_end
    stands = bool(
        source.quote
        and at is not None
        and start is not None
        and end is not None
        and at.text[start:end] == source.quote
    )
    if not source.quote:
        badge, word = _no_quote()
    elif stands:
        badge, word = FOUND, _("quote found")
    else:
        badge, word = NOT_FOUND, _("quote not found in source")
    lines = tuple(
        _line(one, (start or 0, end or 0) if stands and one is at else None) for one in messages
    )
    return Evidence(kind=source.kind, ref=ref, quote=quote, badge=badge, word=word, lines=lines)


def _no_quote() -> tuple[str, str]:
    return NO_QUOTE, _("no quote")


def _line(message: Message, span: tuple[int, int] | None) -> Line:
    shown = (
        markup.marked(message.text, *span, around=_AROUND)
        if span
        else markup.excerpt(message.text, limit=_BESIDE)
    )
    return Line(
        number=message.index + 1,
        role=message.role,
        name=markup.excerpt(message.name, limit=40),
        at=message.created_at,
        text=shown,
        quoted=span is not None,
        outside=message.outside,
    )


def _around(desk: Desk, memory: Memory, transcript_id: UUID, index: int) -> list[Message] | None:
    """Return the messages around one, cut out in the database; None when they are gone."""
    window = f"$[{max(0, index - _BEFORE)} to {index + _AFTER}]"
    cut = Func(
        F("messages"),
        Value(window),
        template="jsonb_path_query_array(%(expressions)s::jsonpath)",
        output_field=JSONField(),
    )
    stored = (
        Transcript.objects.in_granted(desk.granted)
        .filter(pk=transcript_id, scope_id=memory.scope_id)
        .annotate(window=cut)
        .values_list("window", flat=True)
        .first()
    )
    return None if stored is None else transcript_format.from_canonical(stored)
