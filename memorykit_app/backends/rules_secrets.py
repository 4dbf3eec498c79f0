"""Secrets: whether a text holds, or looks as if it held, a credential or a card number."""

from __future__ import annotations

import re

_SHAPED = re.compile(
    r"\bAKIA[0-9A-Z]{12,}|\b(?:ghp|gho|ghs|ghu|ghr|github_pat)_\w{16,}|\bsk[-_](?:\w+[-_])*\w{12,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{20,}|\bhf_\w{16,}|\bSG\.[\w-]{10,}|\bglpat-[\w-]{10,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}|-----BEGIN|\bBearer [\w.~+/-]{16,}|://[^\s/:@]{1,80}:[^\s/@]{1,80}@"
    r"|\b(?:\d[ -]?){15,16}\b"
    r"|(?<![\w/+])(?=[\w/+]{0,80}\d)(?=[\w/+]{0,80}[a-z])(?=[\w/+]{0,80}[A-Z])[\w/+]{32,}"
)
_NAMED = re.compile(
    r"\b(?:password|passwd|passphrase|passcode|pwd|pin|secret|token|credentials?|api[ _-]?key"
    r"|(?:access|secret|private)[ _-]?key|(?:door|gate|safe|alarm|entry|access|lock) code)s?"
    r"(?: (?:for|of|to) [\w' -]{1,40}?)?\s*(?:is(?: now)?|:|=|are)\s*"
    r"(?!at |in the |stored|kept|rotated|required|not |never |only |<|\$)\S+"
    r"|(?:密码|口令|密钥|私钥|令牌|验证码|钥匙|门禁码|开门码)(?:给你)?(?:现在|已经|改)?(?:是|为|：|:|=|成)\s*"
    r"(?!至少|最少|必须|保存在|放在)[^\s，。]{0,40}[A-Za-z0-9]",
    re.I,
)


def holds_secret(text: str) -> bool:
    return bool(_SHAPED.search(text) or _NAMED.search(text))
