"""Visible: hostile or invisible characters named, so that a reader sees what a model would."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_SHORT = {
    "\u00a0": "NBSP",
    "\u00ad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u115f": "HANGUL FILLER",
    "\u1160": "HANGUL FILLER",
    "\u180e": "MVS",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LINE SEPARATOR",
    "\u2029": "PARAGRAPH SEPARATOR",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\u2800": "BLANK BRAILLE",
    "\u3164": "HANGUL FILLER",
    "\ufeff": "BOM",
    "\uffa0": "HANGUL FILLER",
}
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_PLAIN = frozenset("\n\t ")
# An ideographic space is as wide as a letter and usual in Chinese and Japanese.
_IDEOGRAPHIC_SPACE = "\u3000"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of ordinary text, or one character that must be named: then `label` is not blank."""

    text: str
    label: str = ""


def pieces(text: str) -> list[Piece]:
    """Return the text in pieces; joined, their texts are the text."""
    return list(_pieces(text))


def holds_hidden(text: str) -> bool:
    """Tell whether any character of the text must be named."""
    return any(_label(character) for character in text)


def _pieces(text: str) -> Iterator[Piece]:
    run: list[str] = []
    for character in text:
        label = _label(character)
        if not label:
            run.append(character)
            continue
        if run:
            yield Piece("".join(run))
            run = []
        yield Piece(character, label)
    if run:
        yield Piece("".join(run))


@lru_cache(maxsize=4_096)
def _label(character: str) -> str:
    """Return how a character is named, or blank for one that shows itself."""
    if character in _PLAIN or character == _IDEOGRAPHIC_SPACE:
        return ""
    short = _SHORT.get(character)
    if short:
        return short
    point = ord(character)
    if 0xFE00 <= point <= 0xFE0F:
        return f"VS{point - 0xFE00 + 1}"
    if 0xE0100 <= point <= 0xE01EF:
        return f"VS{point - 0xE0100 + 17}"
    if 0xE0020 <= point <= 0xE007E:
        # Tag characters spell ASCII that nobody sees.
        return f"TAG {chr(point - 0xE0000)}"
    category = unicodedata.category(character)
    if category in _HIDDEN or (category == "Zs" and character != " "):
        return f"U+{point:04X}"
    return ""
