"""Voice: what someone said, told about them, as one clean sentence in the same language."""

from __future__ import annotations

import re

from memorykit_app.domain.states import Kind

_PAST_WORDS = """
chose chosen picked went found took made ran had built kept lost got saw did was were
agreed put set cut hit learnt began wrote sent told thought knew said met paid left held
"""
_PAST = frozenset(_PAST_WORDS.split())
_SAME_WORDS = """
can cannot can't could must mustn't may might shall should will won't would never always
only now also just all both finally usually really generally still currently no not
"""
_SAME = frozenset(_SAME_WORDS.split())
_CONTRACTED = (
    (re.compile(r"\b(we|i|you|they)'ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(we|i|you|they)'re\b|\b(i)'m\b", re.I), lambda m: f"{m[1] or m[2]} are"),
    (re.compile(r"\b(we|i|you|they)'ll\b", re.I), r"\1 will"),
    (re.compile(r"\b(we|i|you|they)'d\b", re.I), r"\1 would"),
    (re.compile(r"\bdon't\b", re.I), "do not"),
    (re.compile(r"\bcan't\b", re.I), "cannot"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
)
_YOU = (
    (
        re.compile(r"\byou (?:cannot|can not|may not|must not|must never|should never)\b", re.I),
        "nobody may",
    ),
    (re.compile(r"\byou have to\b", re.I), "everyone has to"),
    (re.compile(r"\byou need to\b", re.I), "everyone needs to"),
    (re.compile(r"\byou (must|should)\b", re.I), r"everyone \1"),
    (re.compile(r"^(?:please )?always (\w+)(?= (?:to )?me\b)", re.I), r"always \1"),
)
_FIRST = re.compile(
    r"\b(we|I|i)\b((?: (?:\w+ly|always|never|only|also|just|all|both|now|still"
    r"|much))*) ([\w']+)",
    re.I,
)
_TURNS_OUT = re.compile(r"^(?:it )?turn(?:s|ed) out(?: that)?,? ", re.I)
_LETS = re.compile(r"\blet(?:'s| us) (?:just )?", re.I)


def told(words: str, *, kind: Kind, name: str, chinese: bool) -> str:
    """Return `words` as a sentence about the speaker called `name` (blank: the user)."""
    if chinese:
        return _told_chinese(words, kind, name or "用户")
    speaker = name[:1].upper() + name[1:] if name else "the user"
    return _finished(_told_english(words, speaker), ".")


def _told_english(words: str, speaker: str) -> str:
    text = _TURNS_OUT.sub("", words.replace("’", "'"))
    text = _LETS.sub("the team decided to ", text)
    for pattern, replacement in (*_CONTRACTED, *_YOU):
        text = pattern.sub(replacement, text)
    text = _FIRST.sub(lambda m: _conjugated(m, speaker), text)
    text = re.sub(r"\bours?\b", "the team's", text, flags=re.I)
    text = re.sub(r"\bus\b", "the team", text)
    text = re.sub(r"\bmy\b", lambda _: f"{speaker}'s", text, flags=re.I)
    return re.sub(r"\bme\b", lambda _: speaker, text)


def _conjugated(found: re.Match[str], speaker: str) -> str:
    who = "the team" if found[1].lower() == "we" else speaker
    return f"{who}{found[2]} {_third(found[3])}"


def _third(verb: str) -> str:
    lower = verb.lower()
    if lower in ("are", "am"):
        return "is"
    if lower == "have":
        return "has"
    if lower in ("do", "go"):
        return lower + "es"
    if lower in _SAME or lower in _PAST or lower.endswith(("ed", "s")):
        return verb
    if lower.endswith(("ch", "sh", "x", "ss", "zz")):
        return verb + "es"
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _told_chinese(words: str, kind: Kind, speaker: str) -> str:
    text = words.strip("，, ")
    if kind is Kind.DECISION:
        text = re.sub(r"^(?:那么?)?(?:就|还是)?(?:先)?用", "团队决定用", text)
        text = re.sub(r"[，,]?就这么(?:定了?|办)$|[，,]别再.*$", "", text)
    text = re.sub(r"我们公司|我司", lambda _: f"{speaker}所在公司", text)
    text = re.sub(r"我们|咱们|我方", "团队", text)
    text = re.sub(r"(?<!自)我(?!国)", lambda _: speaker, text)
    return _finished(text, "。")


def _finished(text: str, stop: str) -> str:
    text = " ".join(text.split()).strip(" ,，;；")
    if text and not text.endswith((".", "!", "。", "！")):
        text += stop
    return text[:1].upper() + text[1:]
