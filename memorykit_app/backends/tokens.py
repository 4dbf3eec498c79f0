"""Token counts without a tokenizer, or with one where it is installed."""

from __future__ import annotations

import math
import re

from memorykit_app.backends.base import TokenCounter

# Han, kana and Hangul: about one token a character in the vocabularies of 2024 and later.
_WIDE = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"\d+")
_SPACES = re.compile(r"\s+")


class EstimatingTokenCounter(TokenCounter):
    """Estimates high: letters in pieces, digits by three, marks and wide characters singly."""

    def count(self, text: str) -> int:
        wide = len(_WIDE.findall(text))
        words = sum(1 + (len(word) - 1) // 7 for word in _WORD.findall(text))
        digits = sum(math.ceil(len(run) / 3) for run in _DIGITS.findall(text))
        lines = sum(1 for run in _SPACES.findall(text) if len(run) > 1 or run == "\n")
        rest = _DIGITS.sub("", _WORD.sub("", _SPACES.sub("", _WIDE.sub("", text))))
        # What no vocabulary holds falls apart into bytes: at most one token for two of them.
        marks = sum(
            1 if char.isascii() else math.ceil(len(char.encode("utf-8", "replace")) / 2)
            for char in rest
        )
        return wide + words + digits + lines + marks
