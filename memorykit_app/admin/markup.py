"""Markup: untrusted text as inert HTML, with hidden characters in labelled boxes."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from memorykit_app.domain import visible
from memorykit_app.domain.diff import Change, Part
from memorykit_app.domain.visible import Piece

EXCERPT = 160


def text(value: str) -> str:
    """Return the whole text, escaped, each hidden character named."""
    return format_html_join("", "{}", ((_piece(piece),) for piece in visible.pieces(value)))


def excerpt(value: str, *, limit: int = EXCERPT) -> str:
    """Return the beginning of a text on one line."""
    line = value[:limit].replace("\n", " ")
    return format_html("{}{}", text(line), "…" if len(value) > limit else "")


def marked(value: str, start: int, end: int, *, around: int) -> str:
    """Return the part of a text around `start`..`end` (characters), that span marked."""
    left, right = max(0, start - around), min(len(value), end + around)
    return format_html(
        "{}{}<mark>{}</mark>{}{}",
        "…" if left else "",
        text(value[left:start]),
        text(value[start:end]),
        text(value[end:right]),
        "…" if right < len(value) else "",
    )


def parts(values: Iterable[Part]) -> str:
    """Return the parts of a diff as text with <ins> and <del>, each also said in words."""
    return format_html_join("", "{}", ((_part(part),) for part in values))


def _piece(piece: Piece) -> str:
    if not piece.label:
        return piece.text
    return format_html(
        '<span class="mk-char" title="U+{}">{}</span>', f"{ord(piece.text):04X}", piece.label
    )


def _part(part: Part) -> str:
    shown = text(part.text)
    match part.change:
        case Change.SAME:
            return shown
        case Change.ADDED:
            return format_html('<ins><span class="mk-said">{} </span>{}</ins>', _("added:"), shown)
        case Change.REMOVED:
            return format_html(
                '<del><span class="mk-said">{} </span>{}</del>', _("removed:"), shown
            )
