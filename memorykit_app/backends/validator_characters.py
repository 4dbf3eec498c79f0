"""Characters: what a text may not hold because people cannot see it or programs trip over it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memorykit_app.backends import validator_folding as folding

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_LINES = re.compile("[\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NONCHARACTER = re.compile(
    "[\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane << 16 | low) for plane in range(1, 17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_RTL = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ORDER = re.compile("[\u202a-\u202e\u206a-\u206f]")
_ISOLATE = re.compile("[\u2066-\u2069]")
_MARK = re.compile("[\u200e\u200f\u061c]")
_MARK_RUN = re.compile("[\u200e\u200f\u061c]{2}")
# A flag of a region: a black flag, its code of two to six signs, and the end.
_REGION = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2065\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff"
    "\U000e01f0-\U000e0fff]|\xad(?:\xad|(?![^\\W\\d_])|(?<![^\\W\\d_]\xad))"
)
_SELECTOR = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_STACK = re.compile(
    "[A-Za-z][\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4}"
    "|[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31-\u0e4e\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{9}"
)
# Scripts that need joiners inside their words, and those that break lines without spaces.
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua840-\ua87f"
    "\ua8e0-\ua9df\uaa00-\uaadf\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010eff"
    "\U00011000-\U00011fff]"
)
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u19e0-\u19ff\u1a20-\u1aaf\ua9e0-\uaa7f]"
)
_JOINER_RUN = re.compile("[\u200b-\u200d]{3}")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KEYCAPS = frozenset("0123456789#*")
_SPACES = "\n\r\u2028\u2029\x85"


def codes(text: str) -> Iterator[str]:
    """Yield the rules that the characters of any text break. Takes linear time."""
    if "\0" in text:
        yield "nul"
    for control in _CONTROL.finditer(text):
        if control[0] in "\x1b\x9b\x9d\x90":
            yield "terminal_escape"
        elif control[0] not in "\0\x85":
            yield "control_character"
    if text.isascii():
        return
    if _SURROGATE.search(text):
        yield "lone_surrogate"
    if _LINES.search(text):
        yield "line_separator"
    if _NONCHARACTER.search(text):
        yield "noncharacter"
    if _PRIVATE.search(text):
        yield "private_use"
    yield from _direction(text)
    if _TAG.search(_REGION.sub("", text)):
        yield "tag_character"
    if _hides(text):
        yield "invisible_character"
    if any(not _selects(text, found.start()) for found in _SELECTOR.finditer(text)):
        yield "variation_selector"
    if _STACK.search(unicodedata.normalize("NFD", text)):
        yield "stacked_marks"
    if folding.mixed_words(text):
        yield "mixed_script"


def key_codes(key: str) -> Iterator[str]:
    """Yield what is wrong with a key beyond what is wrong with any text."""
    kinds = {unicodedata.category(c) for c in key}
    if kinds & {"Cc", "Co", "Zl", "Zp"} or not any(kind[0] in "LNPS" for kind in kinds):
        yield "key_not_plain"
    if folding.mixed_words(key):
        yield "key_mixed_script"


def _direction(text: str) -> Iterator[str]:
    rtl = _RTL.search(text) is not None
    if _ORDER.search(text) or (_ISOLATE.search(text) and not (rtl and _isolates_close(text))):
        yield "bidi_control"
    if _MARK_RUN.search(text):
        yield "bidi_control"
    elif not rtl and _MARK.search(text):
        yield "direction_mark"


def _isolates_close(text: str) -> bool:
    """Say whether each isolate ends on its own line, none inside more than one other."""
    depth = 0
    for found in re.finditer("[\u2066-\u2069\n]", text):
        if found[0] == "\n":
            if depth:
                return False
        else:
            depth += -1 if found[0] == "\u2069" else 1
            if not 0 <= depth <= 2:
                return False
    return depth == 0


def _hides(text: str) -> bool:
    if _JOINER_RUN.search(text):
        return True
    return any(not _needed(text, found) for found in _UNSEEN.finditer(text))


def _needed(text: str, found: re.Match[str]) -> bool:
    """Say whether an invisible character does its work between the characters around it."""
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    match found[0]:
        case "\u200d":
            return _joins(before) or (_pictured(before) and _pictured(after))
        case "\u200c":
            return _joins(before)
        case "\u200b":
            return bool(_SPACELESS.match(before) and _SPACELESS.match(after))
        case "\u034f":
            return bool(before and after and unicodedata.combining(after) and not before.isascii())
        case "\u2800":
            return "\u2801" <= before <= "\u28ff" or "\u2801" <= after <= "\u28ff"
        case "\u115f" | "\u1160":
            return "\u1100" <= before <= "\u11ff" or "\u1100" <= after <= "\u11ff"
        case "\u180e":
            return "\u1800" <= before <= "\u18af"
    return False


def _joins(before: str) -> bool:
    return bool(_JOINING.match(before)) or before in ("\u200c", "\u200d")


def _pictured(sign: str) -> bool:
    return (
        bool(sign)
        and not sign.isascii()
        and (unicodedata.category(sign) in ("So", "Sk", "Sm", "Cn") or sign in "\ufe0f\u20e3")
    )


def _selects(text: str, at: int) -> bool:
    base = text[at - 1 : at]
    if not base or _SELECTOR.match(base):
        return False
    selector = text[at]
    if selector in "\u180b\u180c\u180d\u180f":
        return "\u1800" <= base <= "\u18af"
    if selector >= "\U000e0100":
        return bool(_HAN.match(base))
    if selector in "\ufe0e\ufe0f":
        return (
            base in _KEYCAPS
            or (
                not base.isascii() and unicodedata.category(base)[0] in "SPC" and not base.isspace()
            )
            or bool(_HAN.match(base))
            or base in "\u2139\u24c2\u3297\u3299"
        )
    return not base.isascii() and unicodedata.category(base) in ("Lo", "Sm", "So")
