"""Figures of a ranking: recall, nDCG, MRR and how well scores tell what cannot be answered."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.recall_data import UNANSWERABLE, Question

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The ids that were found, best first, and how sure the best one is."""

    ids: Sequence[str]
    score: float


@dataclass
class Figures:
    """Means over the answerable questions of one set or category."""

    questions: int = 0
    recall_5: float = 0.0
    recall_10: float = 0.0
    ndcg_10: float = 0.0
    mrr: float = 0.0
    hit_10: float = 0.0

    def add(self, relevant: frozenset[str], ids: Sequence[str]) -> None:
        hits = [rank for rank, found in enumerate(ids[:DEPTH], start=1) if found in relevant]
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), DEPTH) + 1))
        self.questions += 1
        self.recall_5 += sum(rank <= 5 for rank in hits) / len(relevant)
        self.recall_10 += len(hits) / len(relevant)
        self.ndcg_10 += sum(1 / math.log2(rank + 1) for rank in hits) / best
        self.mrr += 1 / hits[0] if hits else 0.0
        self.hit_10 += bool(hits)

    def mean(self) -> dict[str, float]:
        names = ("recall_5", "recall_10", "ndcg_10", "mrr", "hit_10")
        return {
            name: round(getattr(self, name) / self.questions, 4) if self.questions else 0.0
            for name in names
        } | {"questions": self.questions}


@dataclass
class Report:
    """All figures of one system."""

    sets: dict[str, dict[str, float]] = field(default_factory=dict)
    categories: dict[str, dict[str, float]] = field(default_factory=dict)
    auroc_by_set: dict[str, float | None] = field(default_factory=dict)
    policy: str = ""
    degraded: int = 0
    auroc_foreign: float | None = None
    auroc_adversarial: float | None = None
    empty_foreign: float = 0.0
    empty_answerable: float = 0.0
    leaks: int = 0

    def recall(self, name: str) -> float:
        return self.sets.get(name, {}).get("recall_10", 0.0)


def report(
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    leaks: int = 0,
    degraded: int = 0,
    policy: str = "",
) -> Report:
    """Score the answers to the questions, in the same order.

    AUROC compares the answerable questions of the sets that have unanswerable ones.
    """
    by_set: dict[str, Figures] = defaultdict(Figures)
    by_category: dict[str, Figures] = defaultdict(Figures)
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    empty: dict[bool, list[bool]] = defaultdict(list)
    for question, answer in zip(questions, answers, strict=True):
        kind = question.category if question.category in UNANSWERABLE else ""
        scores[question.dataset][kind].append(answer.score)
        if question.category != "adversarial":
            empty[kind == ""].append(not answer.ids)
        if not kind:
            by_set[question.dataset].add(question.relevant, answer.ids)
            by_category[f"{question.dataset} {question.category}"].add(
                question.relevant, answer.ids
            )
    return Report(
        sets={name: figures.mean() for name, figures in by_set.items()},
        categories={name: figures.mean() for name, figures in sorted(by_category.items())},
        auroc_by_set={
            f"{name} {kind}": _auroc({name: by_kind}, kind)
            for name, by_kind in scores.items()
            for kind in UNANSWERABLE
            if by_kind.get(kind)
        },
        policy=policy,
        degraded=degraded,
        auroc_foreign=_auroc(scores, "foreign"),
        auroc_adversarial=_auroc(scores, "adversarial"),
        empty_foreign=_share(empty[False]),
        empty_answerable=_share(empty[True]),
        leaks=leaks,
    )


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 4) if flags else 0.0


def _auroc(scores: dict[str, dict[str, list[float]]], kind: str) -> float | None:
    pairs = wins = 0.0
    for by_kind in scores.values():
        for low in by_kind.get(kind, ()):
            for high in by_kind[""]:
                pairs += 1
                wins += 1.0 if high > low else 0.5 if high == low else 0.0
    return round(wins / pairs, 4) if pairs else None
