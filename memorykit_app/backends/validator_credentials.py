"""Credentials: passwords, keys and tokens in the ways that people write them down."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from memorykit_app.backends.validator_placeholders import (
    is_key_body,
    is_passcode,
    is_placeholder,
    is_secret,
    is_uuid,
)
from memorykit_app.backends.validator_vendor_keys import holds_vendor_key

# Each form is tried only where one of its stems stands, so that plain text costs next to nothing.
_PRIVATE_KEY = re.compile(
    r"BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-{2,5}\s{0,4}"
    r"(?:[A-Za-z0-9+/=]{16}|Proc-Type|Version:|Comment:)"
    r"|PuTTY-User-Key-File-\d:"
)
_URL = re.compile(r"://[^\s/?#@:'\"]{0,80}:([^\s/?#@'\"]{1,200})@(?=[\w\[<{$])")
_SIGNED = re.compile(
    r"X-Amz-Signature=[0-9a-f]{64}|sig=[\w%+/-]{40,120}"
    r"|api/webhooks/\d{15,20}/[\w-]{40,100}"
    r"|hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}"
    r"|otpauth://\S{1,200}?secret=[A-Z2-7]{8,80}"
)
_HEADER = re.compile(
    r"(?:bearer|basic|authorization\s{0,2}[:=]\s{0,2}[\"']?(?:token|apikey|key)?)\s{1,3}"
    r"([\w.~+/=-]{16,600})",
    re.I,
)
_OPTION = re.compile(
    r"(?:-u|--user(?:name)?)[ =]{1,2}['\"]?[\w.@-]{1,60}:([^\s'\"]{4,80})"
    r"|sshpass\s{1,3}-p\s{0,2}['\"]?([^\s'\"]{4,80})"
    r"|login\s{1,3}\S{1,60}\s{1,3}password\s{1,3}(\S{4,80})"
    r"|(?:mysql|mariadb|mysqldump)\b[^\n]{0,80}?\s-p([^\s'\"-][^\s'\"]{3,80})"
)
_NAMED = re.compile(
    r"(?P<name>pass(?:word|wd|phrase|code)s?|pwd|pass(?![a-z])|secret(?![a-rt-z])"
    r"|pin(?: code)?(?![a-z])"
    r"|token(?![a-z])|key(?![a-z])|cred(?:ential)?s?(?![a-z]))"
    r"(?P<tail>(?:[_-][a-z0-9]{1,16}){0,3})[\"'`\])]{0,2}"
    r"(?:\s{1,2}(?:for|of|to|on|at)\s[\w'’ ./-]{1,48}?)?"
    r"(?:\s{0,3}(?::=|=>|[:=]{1,2}|->|是|改?[为為成]了?|[设設换換](?:[为為]|成))\s{0,3}"
    r"|\s(?:has been |was |is |are |got )(?:now |still |currently )?"
    r"(?:(?:set|reset|changed) to )?\s{0,3})"
    r"(?P<quote>[\"'`“‘«]?)(?P<value>[^\s\"'`“”‘’«»,;，。；]{4,120})",
    re.I,
)
# What makes a key a secret one.
_KEY_KIND = re.compile(
    r"(?:api|aws|access|private|signing|encryption|master|account|auth|license|deploy|service|secret)"
    r"[_ -]?\Z",
    re.I,
)
_NAMED_ZH = re.compile(
    r"(?P<name>密[码碼]|口令|密[钥鑰]|私[钥鑰]|令牌|[验驗][证證][码碼]|暗[号號]|[访訪][问問][码碼]"
    r"|授[权權][码碼]|通行[码碼]|[凭憑][证證]|[凭憑][据據])"
    r"\s{0,2}(?:[（(][^）)\n]{0,20}[）)])?\s{0,2}(?:现在|現在|已经|已經|已|目前)?"
    r"\s{0,2}(?:是|[为為]|改成了?|改[为為]|[设設]成|[设設][为為]|[换換]成|用的是|[:=])\s{0,3}"
    r"(?P<quote>[\"'`“‘「『]?)(?P<value>[!-~]{4,200})"
)
_PAIR = re.compile(
    r"(?:log ?in|sign in|cred(?:ential)?s?|account)\b"
    r"(?: \w{1,12}+){0,3}?\s{0,2}[:= ]\s{0,2}[\w.@-]{2,40}+\s{0,2}[/|]"
    r"\s{0,2}(?P<value>[^\s,;]{6,64})",
    re.I,
)
_PAIR_ZH = re.compile(
    r"(?:账号|账户|用户名|登录)[^\n]{0,12}?[:：=是为]\s{0,2}[\w.@-]{2,40}\s{0,2}[/|，,、]\s{0,2}"
    r"(?P<value>[!-~]{6,64})"
)
_SEED = re.compile(
    r"(?:seed|recovery|mnemonic|backup)[ -](?:phrase|words|key)(?: is| are)?\s{0,2}[:=]?\s{1,3}"
    r"(?:\d{1,2}[.)]\s?)?(?:[a-z]{3,8}[ ,\n]{1,2}(?:\d{1,2}[.)]\s?)?){11,23}[a-z]{3,8}\b",
    re.I,
)
_NO_SECRET_TAIL = re.compile(
    r"[_-](?:file|path|name|id|url|uri|length|len|policy|min|max|count|limit|ttl|expir\w*|budget"
    r"|type|format|field|header|env|var|ref|version|hash\w*|salt|provider|store|rotation|days|arn"
    r"|dir|manager|reset|change|prompt|input|class|size|usage|cost|rate)\b",
    re.I,
)
# Names whose secret may be a number, names that are parts of other words, names of mere ids.
_CODE_NAME = re.compile(r"pass(?:wor|w|phr|c)|pwd|pin|口令|密[码碼]|[验驗]|暗|[访訪]|授|通")
_SHORT = frozenset({"pass", "pin", "pwd", "token", "secret", "cred", "creds"})
_ID_NAMES = frozenset({"token", "cred", "creds", "credential", "credentials", "令牌", "凭证"})
_EXPANDED = re.compile(r"\$\{\w{0,40}\Z|\{\{ ?[\w.]{0,40}\Z")
# A name at the very end of one value may start the next.
_BACK = 24
_END = ".,;:!?)]}>"


def codes(text: str) -> Iterator[str]:
    """Yield the rules that the visible text breaks. Takes linear time."""
    low = _lower(text)
    if holds_vendor_key(text):
        yield "credential_vendor"
    if any(_at(_PRIVATE_KEY, text, low, ("begin ", "putty-user"))):
        yield "credential_private_key"
    if _in_url(text, low):
        yield "credential_url"
    if _in_header(text, low):
        yield "credential_header"
    if _labelled(text, low):
        yield "credential_labelled"


def _lower(text: str) -> str:
    """Return the text in lower case, character for character."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _at(
    form: re.Pattern[str], text: str, low: str, stems: tuple[str, ...]
) -> Iterator[re.Match[str]]:
    """Yield where `form` matches from a stem on."""
    for stem in stems:
        start = low.find(stem)
        while start >= 0:
            found = form.match(text, start)
            if found:
                yield found
            end = found.end() - _BACK if found else 0
            start = low.find(stem, max(start + len(stem), end))


def _in_url(text: str, low: str) -> bool:
    signed = ("x-amz-signature=", "sig=", "api/webhooks/", "hooks.slack.com", "otpauth://")
    if any(_at(_SIGNED, text, low, signed)):
        return True
    return "@" in text and any(
        len(found[1]) >= 4 and not is_placeholder(found[1])
        for found in _at(_URL, text, low, ("://",))
    )


def _in_header(text: str, low: str) -> bool:
    headers = _at(_HEADER, text, low, ("bearer ", "basic ", "authorization"))
    if any(map(_is_header_secret, headers)):
        return True
    options = _at(_OPTION, text, low, ("-u", "--user", "sshpass", "login", "mysql", "mariadb"))
    return any(is_secret(found[found.lastindex or 0].rstrip(_END)) for found in options)


def _is_header_secret(found: re.Match[str]) -> bool:
    if found[0][:5].lower() != "basic":
        return is_key_body(found[1].replace(".", "_"))
    try:
        return b":" in b64decode(found[1], validate=True)
    except ValueError:
        return False


def _labelled(text: str, low: str) -> bool:
    stems = ("pass", "pwd", "secret", "pin", "token", "key", "cred")
    if any(map(_is_named_secret, _at(_NAMED, text, low, stems))):
        return True
    if not text.isascii() and any(map(_is_named_secret, _NAMED_ZH.finditer(text))):
        return True
    pairs = [*_at(_PAIR, text, low, ("log", "sign in", "cred", "account"))]
    if not text.isascii():
        pairs += _PAIR_ZH.finditer(text)
    if any(is_secret(found["value"].rstrip(_END)) for found in pairs):
        return True
    return any(_at(_SEED, text, low, ("seed", "recovery", "mnemonic", "backup")))


def _is_named_secret(found: re.Match[str]) -> bool:
    groups = found.groupdict()
    name, value = groups["name"].lower(), groups["value"].rstrip(_END)
    before = found.string[max(0, found.start() - 12) : found.start()]
    if name == "key":
        if not _KEY_KIND.search(before):
            return False
    elif name in _SHORT and before[-1:].isalpha():
        return False
    if _EXPANDED.search(before) or _NO_SECRET_TAIL.search(groups.get("tail") or ""):
        return False
    if is_passcode(value):
        return bool(_CODE_NAME.match(name))
    if is_uuid(value):
        return name not in _ID_NAMES
    return not name.startswith("pin") and is_secret(value)
