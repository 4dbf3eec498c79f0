"""Quality: the floors under the figures that `make bench-extraction` prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FLOORS = {"tuned": (0.9, 0.9), "held_out": (0.8, 0.5)}


@pytest.fixture(scope="module")
def figures():
    done = subprocess.run(
        [sys.executable, "benchmarks/extraction_quality.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout.splitlines()[-1])["figures"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("part", list(FLOORS))
def test_precision_and_recall_stay_above_the_floor(figures, language, part):
    precision, recall = FLOORS[part]

    found = figures[f"{language} {part}"]

    assert found["messages"] >= 60
    assert found["precision"] >= precision
    assert found["recall"] >= recall
