"""Sentences of a message, each with its place; what must not be read is blanked first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLANK = "\ufffc"
MAX_SENTENCE = 600
# A view that memorykit inserted; unclosed, it runs to the end.
_MEMORY_VIEW = re.compile(r"<memory_records\b.*?(?:</memory_records\s*>|\Z)", re.I | re.S)
_MOST_HEADER_LINES = 6
_CODE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.S)
_FORWARDED = re.compile(
    r"^(?:-{2,} ?(?:original|forwarded) message|on [^\n]{5,80} wrote:|begin forwarded message"
    r"|-{2,} ?原始邮件|发件人[:：]).*",
    re.I | re.S | re.M,
)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.M)
_SPEECH = re.compile(r'"([^"\n]{8,400})"|“([^“”\n]{6,400})”|「([^「」\n]{6,400})」')
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bNo)(?<!\bca)"
    r"(?<![.!?])[.!?]{1,8}+[\"')\]]{0,3}(?=\s|$)|[。！？；]+[”」』）]?|;(?=\s)|\n"
)
_LOG_LINE = re.compile(
    r"[\w-]+[:=]\S|\d{4}-\d\d-\d\d[T ]|(?:warning|error|info|debug|fatal|trace"
    r"|notice)\b|警告|错误",
    re.I,
)
_LEAD = re.compile(r"[^\S\n]*(?:(?:[-*•·#]+|\d{1,2}[.)、])[ \t]+)?")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words at `start:end` of a message; `plain` has quoted speech blanked, same length."""

    start: int
    end: int
    text: str
    plain: str
    mark: str

    @property
    def chinese(self) -> bool:
        """Say whether Chinese rules apply: Han characters weigh against Latin words."""
        han = len(_HAN.findall(self.text))
        return han > 1 and han >= len(_LATIN_WORD.findall(self.text)) and not self.japanese

    @property
    def japanese(self) -> bool:
        return _KANA.search(self.text) is not None


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of `text` that its author says, in order.

    Memory views, code, quoted lines and forwarded mail are left out; so is a sentence of
    more than 600 characters, which no rule can read well.
    """
    body = readable(text)
    plain = _SPEECH.sub(_blank_speech, body)
    return [
        Sentence(start, end, body[start:end], plain[start:end], mark)
        for start, end, mark in _spans(plain)
        if end - start <= MAX_SENTENCE
    ]


def readable(text: str) -> str:
    """Return `text` with what is not its author's own words turned to line breaks."""
    text = without_views(text)
    for pattern in (_CODE, _FORWARDED, _QUOTED_LINE):
        text = pattern.sub(lambda found: "\n" * len(found.group()), text)
    return text


def without_views(text: str) -> str:
    """Return `text` with memory views and the lines that introduce them turned to line breaks."""
    kept, end = [], 0
    for found in _MEMORY_VIEW.finditer(text):
        start = _header_start(text, end, found.start())
        kept += [text[end:start], "\n" * (found.end() - start)]
        end = found.end()
    return "".join(kept) + text[end:]


def _header_start(text: str, least: int, view: int) -> int:
    """Return where the lines that introduce a view begin: after a blank line or `least`."""
    start = max(text.rfind("\n", least, view) + 1, least)
    for _ in range(_MOST_HEADER_LINES):
        before = max(text.rfind("\n", least, max(start - 1, least)) + 1, least)
        if start == least or not text[before : start - 1].strip():
            break
        start = before
    return start


def is_data(text: str) -> bool:
    """Say whether a line is JSON, markup, a log or a table rather than a sentence."""
    return bool(text[:1] in '{[<|"' or '":' in text or _LOG_LINE.match(text))


def _blank_speech(found: re.Match[str]) -> str:
    words = found.group()
    if len(words.split()) < 4 and len(_HAN.findall(words)) < 6:
        return words
    return words[0] + _BLANK * (len(words) - 2) + words[-1]


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for found in _END.finditer(text + "\n"):
        lead = _LEAD.match(text, start)
        begin = lead.end() if lead else start
        end = min(found.start(), len(text))
        while end > begin and text[end - 1].isspace():
            end -= 1
        if end > begin:
            yield begin, end, found.group()[0].strip()
        start = found.end()
