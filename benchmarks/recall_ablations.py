"""Ablations: the product's policy with one thing switched off or put differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.test import override_settings

NO_CONTEXT = {"BEFORE_WEIGHT": 0.0, "AFTER_WEIGHT": 0.0, "ANSWER_WEIGHT": 0.0}
_RANKS = {"FUSION": "rrf", "CALIBRATION": "none", **NO_CONTEXT}
#: Each row beside the product's own. No row for IMPORTANCE_WEIGHT and pinned records, which are
#: people's doing and not in the data, nor for MIN_SIMILARITY, which is off.
ABLATIONS: dict[str, dict[str, Any]] = {
    "full text alone": {"VECTOR_LIMIT": 0},
    "vector alone": {"FULL_TEXT_LIMIT": 0},
    "full text alone, no neighbours": {"VECTOR_LIMIT": 0, **NO_CONTEXT},
    "vector alone, no neighbours": {"FULL_TEXT_LIMIT": 0, **NO_CONTEXT},
    "matched terms for bm25": {"FULL_TEXT_RULE": "matched_terms"},
    "RRF k=10 for scores, no neighbours": {"RRF_K": 10.0, **_RANKS},
    "RRF k=60 for scores, no neighbours": {"RRF_K": 60.0, **_RANKS},
    "without neighbours": NO_CONTEXT,
    "without what comes before a hit": {"BEFORE_WEIGHT": 0.0},
    "without what comes after a hit": {"AFTER_WEIGHT": 0.0, "ANSWER_WEIGHT": 0.0},
    "without the answer's share": {"ANSWER_WEIGHT": 0.0},
    "without centring": {"CENTRE": 0.0},
    "a sample of 64": {"SAMPLE": 64},
    "without dates": {"DATE_WEIGHT": 0.0},
    "without stems": {"STEMS": False},
    "question words kept": {"TELLING_ONLY": False},
    "length counts nothing": {"BM25_LENGTH": 0.0},
    "without folding": {"FOLD": 0.0},
    "full text weighs 0.4": {"FULL_TEXT_WEIGHT": 0.4, "VECTOR_WEIGHT": 0.6},
    "full text weighs 0.6": {"FULL_TEXT_WEIGHT": 0.6, "VECTOR_WEIGHT": 0.4},
    "without calibration": {"CALIBRATION": "none"},
    "floor 0.5": {"FLOOR": 0.5},
}


@contextmanager
def policy(preset: str, changes: Mapping[str, Any]) -> Iterator[None]:
    """Have recall work by a preset with changes."""
    fields = {"PRESET": preset, **({"VERSION": "bench-1"} if changes else {}), **changes}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"RECALL_POLICY": fields}):
        yield
