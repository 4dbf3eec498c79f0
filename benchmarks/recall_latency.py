"""Latency of one recall at a time, beside what the embedding takes alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from django.conf import settings

from benchmarks.cached_embedder import CachedEmbedder
from benchmarks.recall_data import Question
from memorykit_app.backends import query_vectors


def latency(questions: Sequence[Question], ask: Callable[[Question], object]) -> dict[str, float]:
    """Return milliseconds at p50 and p95 with and without embedding, and of embedding alone.

    The ratio says how much longer a recall takes than the embedding that it cannot do without.
    """
    model = CachedEmbedder()
    for question in questions:
        ask(question)
    without = _times(questions, ask)
    CachedEmbedder.live = True
    try:
        alone = _times(questions, lambda question: model.embed_query(question.text))
        with_it = _times(questions, _forgetting(ask))
    finally:
        CachedEmbedder.live = False
    figures = {
        **_cuts(without, "without_embedding"),
        **_cuts(with_it, "with_embedding"),
        **_cuts(alone, "embedding_alone"),
    }
    ratio = statistics.median(with_it) / statistics.median(alone)
    return figures | {"p50_with_over_embedding_alone": round(ratio, 3)}


def _times(questions: Sequence[Question], ask: Callable[[Question], object]) -> list[float]:
    times = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        times.append((time.perf_counter() - started) * 1_000)
    return times


def _forgetting(ask: Callable[[Question], object]) -> Callable[[Question], object]:
    kept = query_vectors.serving(settings.MEMORYKIT["SERVING_PROFILE"]).vectors._kept

    def forgetful(question: Question) -> object:
        kept.clear()
        return ask(question)

    return forgetful


def _cuts(times: Sequence[float], name: str) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {f"p50_ms_{name}": round(cuts[49], 2), f"p95_ms_{name}": round(cuts[94], 2)}
