"""Decoding: what a text says once it is decoded in the ways that a model can do in its head."""

from __future__ import annotations

import codecs
import re
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

from memorykit_app.backends.validator_vendor_keys import long_runs

_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,2000}={0,2}(?![\w+/=-])")
_HEX = re.compile(r"(?<![0-9a-z])(?:[0-9a-f]{2}[ :]?){16,1000}(?![0-9a-z])", re.I)
_ESCAPED = re.compile(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#?\w{2,8};|%[0-9a-f]{2}", re.I)
_UNIT = re.compile(r"\\u([0-9a-f]{4})|\\x([0-9a-f]{2})", re.I)
# One of these is part of each override and reveal, here backwards and by thirteen letters on.
_BACKWARDS = ("erongi", "dragersid", "tegrof", "laever", "tpmorp", "snoitcurtsni", "略忽", "视无")
_ROTATED = ("vtaber", "qvfertneq", "sbetrg", "erirny", "cebzcg", "vafgehpgvba")


def decoded(text: str) -> str:
    """Return what the base64 and hexadecimal runs of the text say, one a line, where readable."""
    return "\n".join(filter(None, map(_readable, _bytes(text))))


def views(text: str, low: str) -> Iterator[str]:
    """Yield the text as it reads without escapes, backwards or rotated, where it invites that.

    `low` is the text in lower case or folded.
    """
    if _ESCAPED.search(text):
        yield unquote(unescape(_UNIT.sub(_character, text)))
    if any(word in low for word in _BACKWARDS):
        yield text[::-1]
    if any(word in low for word in _ROTATED):
        yield codecs.encode(text, "rot13")


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1] or found[2], 16))


def _bytes(text: str) -> Iterator[bytes]:
    for found in _BASE64.finditer(long_runs(text)):
        body = found[0].rstrip("=").translate({45: "+", 95: "/"})
        if len(body) % 4 != 1:
            yield b64decode(body + "=" * (-len(body) % 4))
    for found in _HEX.finditer(text):
        yield bytes.fromhex(found[0].replace(":", " "))


def _readable(raw: bytes) -> str:
    try:
        words = raw.decode()
    except UnicodeDecodeError:
        return ""
    return words if words.replace("\n", "").isprintable() else ""
