"""What the documents name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}
THREATS = (ROOT / "THREAT_MODEL.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:tests/|test_)[\w/.*:]+)`", THREATS)))
DEFINED = set(re.findall(r"^def (test_\w+)", "".join(p.read_text() for p in TESTS.values()), re.M))


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_answers_a_threat_exists(name):
    file, _, function = name.partition("::")
    if file.endswith(".py") and "/" not in file:
        assert file in TESTS
        if function:
            assert f"def {function}(" in TESTS[file].read_text(encoding="utf-8")
    elif "/" in file:
        assert list(ROOT.glob(file.rstrip("/")))
    else:
        assert file in DEFINED


def test_every_threat_has_a_control_and_a_test():
    rows = re.findall(r"^\| T(\d+) \|(.*)\|$", THREATS, re.MULTILINE)

    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    for _, rest in rows:
        threat, control, test = (cell.strip() for cell in rest.split("|"))
        assert all((threat, control, test))


def test_decisions_are_numbered_and_say_what_was_decided():
    pages = sorted((ROOT / "docs" / "adr").glob("*.md"))

    assert [page.name[:4] for page in pages] == [f"{n:04}" for n in range(1, len(pages) + 1)]
    assert all(page.read_text(encoding="utf-8").startswith("# ") for page in pages)
