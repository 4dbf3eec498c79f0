"""Rivals of recall: BM25 with a stemmer, the same vectors alone, and the usual ways to join."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

import bm25s
import numpy as np
import Stemmer
from django.db import connection

from benchmarks.cached_embedder import CachedEmbedder
from benchmarks.recall_data import Data, Question
from benchmarks.recall_scores import Answer

Ranked = list[tuple[str, float]]
_DEPTH = 50
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")
_TABLE = """
CREATE TEMPORARY TABLE rival (
    scope text, id text, words tsvector
)
"""
_FULL_TEXT = """
WITH asked AS (
    SELECT replace(plainto_tsquery(%(language)s::regconfig, %(text)s)::text, ' & ', ' | ')::tsquery
           AS words
)
SELECT id, ts_rank_cd(rival.words, asked.words) FROM rival, asked
 WHERE scope = %(scope)s AND rival.words @@ asked.words
 ORDER BY 2 DESC, id LIMIT 50
"""


class Rivals:
    """All rivals over the same data, texts and vectors."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._embedder = CachedEmbedder()
        self._stem = Stemmer.Stemmer("english")
        self._ids = {name: [m.id for m in memories] for name, memories in data.memories.items()}
        self._vectors = {
            name: np.array(self._embedder.embed_passages([m.text for m in memories]))
            for name, memories in data.memories.items()
        }
        self._bm25 = {name: self._index(name) for name in data.memories}
        self._load_full_text()

    def systems(self) -> dict[str, Callable[[Question], Ranked]]:
        return {
            "bm25s with stemmer": self.bm25,
            "embedder alone": self.vector,
            "PostgreSQL full text + vector, RRF k=10": self._joined(self.full_text, 10),
            "PostgreSQL full text + vector, RRF k=60": self._joined(self.full_text, 60),
            "bm25s + vector, RRF k=10": self._joined(self.bm25, 10),
            "bm25s + vector, RRF k=60": self._joined(self.bm25, 60),
            "bm25s + vector, scores 0..1 added": self._added(self.bm25),
            "PostgreSQL full text + vector, scores added": self._added(self.full_text),
        }

    def bm25(self, question: Question) -> Ranked:
        tokens = self._tokens([question.text])
        index = self._bm25[question.scope]
        size = min(_DEPTH, len(self._ids[question.scope]))
        found, scores = index.retrieve(tokens, k=size, show_progress=False)
        ids = self._ids[question.scope]
        return [
            (ids[place], float(score))
            for place, score in zip(found[0], scores[0], strict=True)
            if score > 0
        ]

    def vector(self, question: Question) -> Ranked:
        scores = self._vectors[question.scope] @ np.array(self._embedder.embed_query(question.text))
        order = np.argsort(-scores, kind="stable")[:_DEPTH]
        ids = self._ids[question.scope]
        return [(ids[place], float(scores[place])) for place in order]

    def full_text(self, question: Question) -> Ranked:
        with connection.cursor() as cursor:
            cursor.execute(
                _FULL_TEXT,
                {
                    "scope": question.scope,
                    "text": question.text,
                    "language": _language(question.text),
                },
            )
            return [(found, float(score)) for found, score in cursor.fetchall()]

    def _added(self, words: Callable[[Question], Ranked]) -> Callable[[Question], Ranked]:
        def added(question: Question) -> Ranked:
            total: dict[str, float] = defaultdict(float)
            for found in (words(question), self.vector(question)):
                if found:
                    high, low = found[0][1], found[-1][1]
                    for name, score in found:
                        total[name] += 0.5 * ((score - low) / (high - low) if high > low else 1.0)
            return _best(total)

        return added

    def _joined(self, words: Callable[[Question], Ranked], k: int) -> Callable[[Question], Ranked]:
        def joined(question: Question) -> Ranked:
            total: dict[str, float] = defaultdict(float)
            for found in (words(question), self.vector(question)):
                for rank, (name, _) in enumerate(found, start=1):
                    total[name] += 1 / (k + rank)
            return _best(total)

        return joined

    def _index(self, name: str) -> bm25s.BM25:
        index = bm25s.BM25()
        index.index(
            self._tokens([memory.text for memory in self._data.memories[name]]),
            show_progress=False,
        )
        return index

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """English by stems without stop words; Chinese and Japanese in pairs, else it has none."""
        spaced = [_UNSPACED.sub(_pairs, text) for text in texts]
        return bm25s.tokenize(
            spaced, stopwords="en", stemmer=self._stem, return_ids=False, show_progress=False
        )

    def _load_full_text(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_TABLE)
            for name, memories in self._data.memories.items():
                cursor.executemany(
                    "INSERT INTO rival (scope, id, words)"
                    " VALUES (%s, %s, to_tsvector(%s::regconfig, %s))",
                    [(name, m.id, _language(m.text), m.text) for m in memories],
                )


def answers(questions: Sequence[Question], system: Callable[[Question], Ranked]) -> list[Answer]:
    found = (system(question) for question in questions)
    return [
        Answer([name for name, _ in ranked], ranked[0][1] if ranked else 0.0) for ranked in found
    ]


def _best(total: dict[str, float]) -> Ranked:
    return sorted(total.items(), key=lambda entry: (-entry[1], entry[0]))[:_DEPTH]


def _pairs(found: re.Match[str]) -> str:
    run = found[0]
    return " " + " ".join(run[i : i + 2] for i in range(max(1, len(run) - 1))) + " "


def _language(text: str) -> str:
    return "simple" if _UNSPACED.search(text) else "english"
