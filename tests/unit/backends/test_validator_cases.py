"""The written cases: each hostile and each harmless text gets the outcome it is marked with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorykit_app.backends.base import Severity
from memorykit_app.backends.validator import ContentRules

DATA = Path(__file__).resolve().parents[2] / "data"
CASES = [
    json.loads(line)
    for line in (DATA / "validator_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
VALIDATOR = ContentRules()


def outcome(findings) -> str:
    if any(finding.severity is Severity.REFUSE for finding in findings):
        return "refuse"
    return "flag" if findings else "pass"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_text_gets_the_outcome_that_its_case_asks_for(case):
    findings = VALIDATOR.findings({case["field"]: case["text"]})

    assert outcome(findings) == case["expect"], [finding.rule for finding in findings]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_people_say_at_work_is_not_taken_for_an_instruction(language):
    """The messages of the extractor's own set; those that hold a secret or an attack say so."""
    lines = (DATA / f"extraction_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    said = [row["text"] for row in map(json.loads, lines) if row["expect"]]

    refused = [text for text in said if outcome(VALIDATOR.findings({"content": text})) == "refuse"]

    assert refused == []


def test_there_are_hostile_and_harmless_cases_in_both_languages():
    for language in ("en", "zh"):
        expected = [case["expect"] for case in CASES if case["language"] == language]
        assert expected.count("refuse") >= 25
        assert expected.count("pass") >= 15
