"""Stems: the common form of an English word's endings, and the words that tell nothing."""

from __future__ import annotations

import re
from functools import lru_cache

_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1\Z")
_SHORT = re.compile(r"[^aeiou]*[aeiouy][^aeiouwxy]\Z")
_ENDINGS = (
    ("ational", "ate"), ("ization", "ize"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "ive"), ("biliti", "ble"), ("ation", "ate"), ("alism", "al"), ("alli", "al"),
    ("entli", "ent"), ("ousli", "ous"), ("fulli", "ful"), ("iviti", "ive"), ("aliti", "al"),
    ("ator", "ate"), ("izer", "ize"), ("ingli", ""), ("edli", ""), ("ness", ""), ("ment", ""),
    ("li", ""),
)  # fmt: skip

#: Words of English questions and sentences that say nothing about what is sought.
FUNCTION_WORDS = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "during",
        "each",
        "either",
        "else",
        "ever",
        "every",
        "few",
        "for",
        "from",
        "get",
        "got",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "like",
        "many",
        "may",
        "me",
        "might",
        "mine",
        "more",
        "most",
        "much",
        "must",
        "my",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "please",
        "same",
        "shall",
        "she",
        "should",
        "since",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "don",
        "doesn",
        "didn",
        "isn",
        "wasn",
        "aren",
        "won",
        "wouldn",
        "couldn",
    ]
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; one of three letters or fewer is its own.

    Plurals, -ed, -ing, -ly and the commonest endings go; what is left need not be a word, only
    the same for every form.
    """
    if len(word) <= 3:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            root = word[: -len(ending)]
            if len(root) > 2 and _VOWEL.search(root):
                word = root + instead
            break
    if word.endswith("e") and len(word) > 3 and not _SHORT.fullmatch(word[:-1]):
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + ("y" if len(word) > 4 else "ie")
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _past(word: str) -> str:
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root == word or not _VOWEL.search(root) or len(root) < 2:
            continue
        if root.endswith(("at", "bl", "iz")):
            return root + "e"
        if _DOUBLED.search(root) and len(root) > 3:
            return root[:-1]
        return root + "e" if _SHORT.fullmatch(root) else root
    return word
