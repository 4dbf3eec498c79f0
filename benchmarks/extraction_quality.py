"""Measure the rule extractor on the hand-labelled messages: precision, recall and F1.

The `tuned` messages stood in view while the rules were written. The `held_out` ones were written
and labelled before, in other walks of life, and only their figures were looked at; a message whose
very wording had gone into a rule all the same was moved to `tuned`. One person wrote both and the
rules, so expect less on the talk of strangers. A draft counts as right when its kind is the
labelled one and its content holds the labelled words; anything else counts as wrong.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from memorykit_app.backends.rules import RuleExtractor  # noqa: E402
from memorykit_app.domain.drafts import ExtractedDraft  # noqa: E402
from memorykit_app.domain.messages import Message  # noqa: E402

DATA = ROOT / "tests" / "data"
LANGUAGES = {"en": "English", "zh": "Chinese"}
KINDS = ("decision", "constraint", "lesson", "fact", "preference")
PARTS = ("tuned", "held_out")
SAID_AT = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
GOALS = {"precision": 0.8, "recall": 0.5}


@dataclass
class Tally:
    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)

    def figures(self, kinds: Sequence[str] = KINDS) -> dict[str, float]:
        right, wrong, missed = (
            sum(counter[kind] for kind in kinds)
            for counter in (self.right, self.wrong, self.missed)
        )
        precision = right / (right + wrong) if right + wrong else 1.0
        recall = right / (right + missed) if right + missed else 1.0
        both = precision + recall
        return {
            "expected": right + missed,
            "found": right + wrong,
            "precision": round(precision, 3),
            "recall": round(recall, 3),
            "f1": round(2 * precision * recall / both, 3) if both else 0.0,
        }


def kind_of(draft: ExtractedDraft) -> str:
    return "preference" if draft.key.startswith("preference.") else str(draft.kind)


def judge(row: dict[str, object], tally: Tally) -> None:
    message = Message(index=0, role=str(row["role"]), text=str(row["text"]), created_at=SAID_AT)
    found = RuleExtractor().extract([message], now=SAID_AT, limit=100)
    expected = list(row["expect"])  # type: ignore[call-overload]
    for draft in found:
        kind, content = kind_of(draft), draft.content.lower()
        match = next(
            (
                want
                for want in expected
                if want["kind"] == kind
                and all(word.lower() in content for word in want["contains"])
            ),
            None,
        )
        if match is None:
            tally.wrong[kind] += 1
            tally.details.append(f"{row['id']} wrong {kind} {draft.key}: {draft.content}")
        else:
            expected.remove(match)
            tally.right[kind] += 1
    for want in expected:
        tally.missed[want["kind"]] += 1
        tally.details.append(f"{row['id']} missed {want['kind']}: {row['text']}")


def measure(rows: Iterable[dict[str, object]]) -> Tally:
    tally = Tally()
    for row in rows:
        judge(row, tally)
    return tally


def table(language: str, part: str, tally: Tally) -> None:
    for kind in (*KINDS, "all"):
        figures = tally.figures(KINDS if kind == "all" else (kind,))
        print(
            f"{language:8} {part:9} {kind:11} {figures['expected']:8} {figures['found']:6}"
            f" {figures['precision']:10.2f} {figures['recall']:7.2f} {figures['f1']:6.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--mistakes", action="store_true", help="list the mistakes in the tuned part"
    )
    options = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    print(f"{'language':8} {'part':9} {'kind':11} expected  found  precision  recall     f1")
    for code, language in LANGUAGES.items():
        lines = (DATA / f"extraction_{code}.jsonl").read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        for part in PARTS:
            chosen = [row for row in rows if row["part"] == part]
            tally = measure(chosen)
            results[f"{code} {part}"] = {"messages": len(chosen), **tally.figures()}
            table(language, part, tally)
            if options.mistakes and part == "tuned":
                print("\n".join(tally.details))
    met = all(
        results[f"{code} held_out"][name] >= goal
        for code in LANGUAGES
        for name, goal in GOALS.items()
    )
    print(
        json.dumps(
            {
                "bench": "extraction-quality",
                "figures": results,
                "goals": GOALS,
                "met": met,
                "versions": {
                    "python": platform.python_version(),
                    "extractor": RuleExtractor.id,
                },
                "machine": platform.machine(),
            }
        )
    )


if __name__ == "__main__":
    main()
