"""Placeholders: values that stand where a secret would, and words that are none."""

from __future__ import annotations

import re
from itertools import pairwise

_STAND_IN = re.compile(
    r"[<\[{(%$*•…]|\.{3}|x{3,}|your|example|placeholder|change[-_ ]?me|replace|redacted|removed"
    r"|hidden|masked|dummy|sample|todo|tbd|n/a|none|null|nil|undefined|true|false|missing|unset"
    r"|insert|fill[-_ ]?in|secret[s]?[/._-]|env[.:_(\[]|process\.|os\.|vault[:/]|op://|ssm:|arn:"
    r"|sm://|file:|gs://|s3://|https?:|projects/|ref\+|keychain|self\.|config\.|settings\."
    r"|此处|这里|你的|您的|替换|占位|隐藏|略",
    re.I,
)
_INSIDE = re.compile(r"\*{3}|\.{4}|x{6}|…|EXAMPLE|<[\w -]{1,40}>|\$\{|\{\{", re.I)
_DOC_WORDS = frozenset(
    "pass passwd password pwd secret token user username pw mypassword mysecret apikey api_key key"  # noqa: SIM905
    " string required optional str int bool bytes value foo bar baz test".split()
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,80}[(\[]|[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,6};?\Z")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6}\Z")
_PATH = re.compile(r"[~.]{0,2}/[a-z_.-]+/|[a-z]:\\|[a-z_-]+/[a-z_-]+", re.I)
_TERM = re.compile(
    r"(?:(?:base|sha|aes|md|oauth|utf|rsa|https?|ipv|v|iso|rfc|tls|ed|hs|rs|es|x|s|u?int|web|argon"
    r"|bcrypt|ecdsa|curve)-?\d{1,5}"
    r"|\d{1,9}[-.]?(?:(?:char|byte|bit|digit|day|hour|min|sec|hr|week|month|year|time|step|round"
    r"|word)[a-z]{0,6}|[kmg]b?|ms|[smhdx]|st|nd|rd|th))(?:[-_/][a-z]{1,20}){0,4}\Z",
    re.I,
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.I)
_WORDS = re.compile(r"[A-Za-z]+(?:[-_/'’.][A-Za-z]+)*\Z")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_SIGNS = frozenset("!@#$%^&*?~+=")


def is_sample(value: str) -> bool:
    """Say whether `value` only shows what a secret looks like or where it goes."""
    return bool(_STAND_IN.match(value) or _INSIDE.search(value) or len(set(value)) < 4)


def is_placeholder(value: str) -> bool:
    """Say whether `value` is a sample, or names the place of a secret as code does."""
    return bool(
        is_sample(value)
        or value.lower() in _DOC_WORDS
        or _CODE.match(value)
        or _ENV_NAME.match(value)
    )


def is_secret(value: str) -> bool:
    """Say whether `value`, found after the name of a secret, is shaped like one and not a word."""
    digits = _DIGIT.search(value) is not None
    if len(value) < 6 or not _LETTER.search(value):
        return False
    if not (digits or _WORDS.match(value)) and _SIGNS.isdisjoint(value[:-1]):
        return False
    if is_placeholder(value) or _TERM.match(value):
        return False
    if _PATH.match(value) and not (digits and len(value) >= 20):
        return False
    return digits or not _WORDS.match(value) or _is_jumbled(value)


def is_key_body(value: str) -> bool:
    """Say whether `value` looks drawn at random: one long part of letters and digits."""
    return not is_sample(value) and any(
        len(part) >= 14 and sum(map(str.isdigit, part)) >= 2 and sum(map(str.isalpha, part)) >= 4
        for part in re.split("[-_]", value)
    )


def is_uuid(value: str) -> bool:
    return _UUID.match(value) is not None


def _is_jumbled(word: str) -> bool:
    """Say whether letters alone look random: case changes again and again, or four words glued."""
    turns = sum(a.islower() and b.isupper() for a, b in pairwise(word))
    return (len(word) >= 12 and turns >= 4) or word.count("-") >= 3


def is_passcode(value: str) -> bool:
    """Say whether `value` is a number that opens something: four to twelve digits, no year."""
    return value.isascii() and value.isdigit() and 4 <= len(value) <= 12
