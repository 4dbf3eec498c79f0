"""Terms: what full text searches by. One rule for writing and for asking."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from memorykit_app.domain import stems

MAX_CHARS = 128
MAX_TERMS = 10_000
MAX_WEIGHT = 1_000
#: A word of the key counts as often as this in the content.
KEY_WEIGHT = 3
#: Stands before a stem, so that it is never taken for a word: no word holds it.
STEM = "~"

_JOINERS = ".-_"
_ZERO_WIDTH_SPACE = "\u200b"
_CLITIC = re.compile(r"(?<=[^\W\d_])['’](?:s|t|d|m|ll|re|ve)\b")
# Han with its extensions and iteration marks, kana of both widths, Bopomofo.
_UNSPACED = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
# A pair of Japanese that begins in hiragana, ends in a particle or asks: が食, 郎が, 何か. What is
# left of a verb tells something: 食べ.
_GRAMMAR = re.compile("[\u3041-\u309f].|.[がをはにのとへもやでかなら]|[何誰][\u3041-\u309f]")
# Dots and dashes in a row part words; one alone may stand inside a word.
_ELLIPSIS = re.compile(r"[.\-]{2,}")


def terms(text: str, *, limit: int = MAX_TERMS) -> list[str]:
    """Return the distinct terms of a text in order of appearance, at most `limit`.

    Words are case-folded, in NFC and at most 128 characters; a run of Chinese or Japanese
    becomes its overlapping pairs, or its one character; a dotted, dashed or underscored word
    is a term as a whole and in its parts. Any text has an answer, if only an empty one.
    """
    found: dict[str, None] = {}
    for term in _occurrences(text):
        if len(found) >= limit:
            break
        found.setdefault(term)
    return list(found)


def asked_terms(
    text: str, *, limit: int = MAX_TERMS, stemmed: bool = True, telling_only: bool = True
) -> list[str]:
    """Return the terms to ask a weighing rule for.

    `stemmed` puts stems in place of English words. `telling_only` leaves out what tells
    nothing while there is something else: question and other function words, and pairs of
    Japanese that are grammar.
    """
    words = terms(text, limit=limit)
    asked = _telling(words) if telling_only else words
    if not stemmed:
        return asked
    return list(dict.fromkeys(_stemmed(word) or word for word in asked))


def _telling(words: list[str]) -> list[str]:
    some = [word for word in words if word not in stems.FUNCTION_WORDS] or words
    return [word for word in some if not _GRAMMAR.fullmatch(word)] or some


def weighted_terms(key: str, content: str) -> dict[str, int]:
    """Return each term of a memory with its weight, 1..1000: how often it occurs.

    Words of the key weigh more. English words are there as written and as `~stem`.
    """
    counted: Counter[str] = Counter()
    for text, weight in ((key, KEY_WEIGHT), (content, 1)):
        for term in _occurrences(text):
            counted[term] += weight
            stem = _stemmed(term)
            if stem:
                counted[stem] += weight
    kept = list(counted.items())[:MAX_TERMS]
    return {term: min(weight, MAX_WEIGHT) for term, weight in kept}


def _stemmed(term: str) -> str:
    """Return the marked stem of an English word, blank for anything else."""
    return f"{STEM}{stems.stem(term)}" if term.isascii() and term.isalpha() else ""


def _occurrences(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    for kind, run in _runs(_CLITIC.sub("", folded)):
        if kind == "unspaced":
            yield from (run,) if len(run) == 1 else map("".join, pairwise(run))
        else:
            yield from _word_and_parts(run)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the runs of unspaced script and of word characters with inner joiners."""
    current, run = "", ""
    for char in text:
        kind = _kind(char)
        if kind == "ignored":
            continue
        if kind != current:
            if run:
                yield current, run
            current, run = kind, ""
        if kind:
            run += char
    if run:
        yield current, run


@lru_cache(maxsize=4_096)
def _kind(char: str) -> str:
    if _UNSPACED.match(char):
        return "unspaced"
    category = unicodedata.category(char)
    if category == "Cf" and char != _ZERO_WIDTH_SPACE:
        return "ignored"
    return "word" if category[0] in "LMN" or char in _JOINERS else ""


def _word_and_parts(run: str) -> Iterator[str]:
    """Yield each word, then its parts at dots, theirs at dashes, and theirs at underscores."""
    for word in _ELLIPSIS.split(run):
        yield from _parts(word.strip(_JOINERS), _JOINERS, whole=True)


def _parts(word: str, joiners: str, *, whole: bool) -> Iterator[str]:
    if not word:
        return
    if whole:
        yield word[:MAX_CHARS]
    if joiners:
        pieces = [piece.strip(_JOINERS) for piece in word.split(joiners[0])]
        for piece in pieces:
            yield from _parts(piece, joiners[1:], whole=len(pieces) > 1)
