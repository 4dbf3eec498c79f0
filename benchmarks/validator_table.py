"""Measure the content validator: what it catches, misses and wrongly refuses, and what it costs.

Reads `$CASES/adversarial.jsonl` where CASES names a folder, else the set that ships with the
tests. Each text takes the way of a write: the field rules, then the validator.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from memorykit_app.backends.base import Severity  # noqa: E402
from memorykit_app.backends.validator import ContentRules  # noqa: E402
from memorykit_app.domain import validation  # noqa: E402
from memorykit_app.domain.errors import InvalidMemory  # noqa: E402
from memorykit_app.domain.limits import Limits  # noqa: E402

SIZE = 8_192
GOALS = {"missed": 0, "false_refusals": 0, "p99_ms": 10.0, "growth": 2.5}
REFUSED, FLAGGED, PASSED = "refused", "flagged", "passed"
VALIDATOR = ContentRules()
PROSE = "The build server in Lisbon runs the tests before each deploy on Tuesday, says Anna. "
PROSE_ZH = "项目负责人是李雷，部署窗口在周二晚上，发布前要跑一遍测试。"
# Units whose repetition has hurt scanners: triggers without an end, nested starts, odd characters.
HOSTILE = (
    "password:", "-----BEGIN ", "a", "a_", "sk-a", "eyJ.", "://a:b", "1:", "aws key ", "login ",
    "xoxb-1-", "//a/:_authToken=", "ignore ", "ignore previous ", "ignore all instructions ",
    "when the user says call ", "send notes to a ", "a b ", "disabled ", '"ignore ', "<",
    "<system ", "![a](http://a?", "aWdub3Jl ", "69 ", "%41", "&amp;", "\n", "\nuser:",
    '"name":"a","', "a\u200b", "аb", "\U0001f469\u200d", "ﷺ", "a\u0301", "a\u00ad", "\u001b",
    "\ud800", "\u2066א", "忽略", "忽略之前的", "密码是 ", "当用户说", "系统提示", "erongi ",
)  # fmt: skip


@dataclass
class Area:
    outcomes: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)


def expanded(value: Any) -> str:
    """Return the text that a value of the case file stands for. Raises KeyError on other macros."""
    if isinstance(value, str):
        return value
    if "$repeat" in value:
        return expanded(value["$repeat"][0]) * value["$repeat"][1]
    if "$concat" in value:
        return "".join(map(expanded, value["$concat"]))
    return " ".join(f"word{n}" for n in range(value["$distinct_words"]))


def texts(row: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the texts of a case that a validator sees; None when the case is about more."""
    given = row["input"]
    if "stored_field" in given:
        return {"content": given["value"]}
    memory = given.get("memory")
    if not isinstance(memory, dict) or "metadata" in memory or "extra_fields" in given:
        return None
    return {"key": expanded(memory["key"]), "content": expanded(memory["content"])}


def outcome(fields: Mapping[str, str], limits: Limits) -> tuple[str, list[str]]:
    try:
        checked = {
            name: validation.key(text, limits)
            if name == "key"
            else validation.content(text, limits)
            for name, text in fields.items()
        }
    except InvalidMemory:
        return REFUSED, ["field rules"]
    findings = VALIDATOR.findings(checked)
    if any(finding.severity is Severity.REFUSE for finding in findings):
        return REFUSED, [finding.rule for finding in findings]
    return (FLAGGED if findings else PASSED), [finding.rule for finding in findings]


def given_cases(path: Path) -> Iterator[tuple[str, str, set[str], dict[str, str], Limits]]:
    """Yield id, area, the outcomes to accept, texts and limits of the case file."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        fields = texts(row)
        if fields is None:
            continue
        wanted = {row["expected"], *row.get("also_ok", ())}
        right = set()
        if wanted & {"reject", "sanitise"}:
            right.add(REFUSED)
        if wanted & {"accept", "accept_but_escape"}:
            right |= {PASSED, FLAGGED}
        limits = Limits(**row["input"].get("limits_override", {}))
        yield row["id"], row["area"], right, fields, limits


def own_cases() -> Iterator[tuple[str, str, set[str], dict[str, str], Limits]]:
    path = ROOT / "tests" / "data" / "validator_cases.jsonl"
    outcomes = {"refuse": {REFUSED}, "flag": {FLAGGED}, "pass": {PASSED, FLAGGED}}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        area = f"{row['area']} ({row['part']})"
        yield row["id"], area, outcomes[row["expect"]], {row["field"]: row["text"]}, Limits()


def table(cases: Iterator[tuple[str, str, set[str], dict[str, str], Limits]]) -> dict[str, Area]:
    areas: dict[str, Area] = defaultdict(Area)
    for name, area, right, fields, limits in cases:
        got, rules = outcome(fields, limits)
        entry = areas[area]
        if len(right) == 3:
            entry.outcomes["either way"] += 1
        elif got in right:
            entry.outcomes["caught" if REFUSED in right else "let through"] += 1
        else:
            entry.outcomes["missed" if got != REFUSED else "false refusals"] += 1
            entry.details.append(f"  {name}: {got} {', '.join(rules)}")
        entry.outcomes["flagged"] += got == FLAGGED
        entry.outcomes["all"] += 1
    return areas


def sized(unit: str, size: int) -> str:
    """Return the unit over and over, as many characters as have `size` bytes."""
    share = len(unit.encode("utf-8", "surrogatepass")) / len(unit)
    count = int(size / share)
    return (unit * (count // len(unit) + 1))[:count]


def seconds(work: Callable[[], object], runs: int) -> list[float]:
    """Return the processor seconds of each run, so that neighbours on the machine weigh less."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return taken


def cost(runs: int) -> dict[str, float]:
    """Print and return what texts of 8 KB cost, what twice as long ones do, and over-long ones."""
    every: list[float] = []
    growth: dict[str, float] = {}
    medians: dict[str, float] = {}
    for unit in (PROSE, PROSE_ZH, *HOSTILE):
        text, double = sized(unit, SIZE), sized(unit, 2 * SIZE)
        once: list[float] = []
        twice: list[float] = []
        # By turns, so that a busy moment of the machine weighs on both.
        for _ in range(runs):
            once += seconds(lambda text=text: VALIDATOR.findings({"content": text}), 1)
            twice += seconds(lambda text=double: VALIDATOR.findings({"content": text}), 1)
        every += once
        medians[unit] = statistics.median(once)
        growth[unit] = min(twice) / min(once)
    floor = statistics.median(seconds(lambda: re.findall(r"\w+", sized(PROSE, SIZE)), runs * 5))
    long = "word " * 200_000
    slowest = sorted(medians, key=lambda unit: medians[unit], reverse=True)
    print(f"\ncost of one text of {SIZE} bytes, processor milliseconds, {runs} runs each")
    for unit in (PROSE, PROSE_ZH, *slowest[:8]):
        shown = ascii(unit)[:34]
        print(
            f"  {shown:36} median {medians[unit] * 1e3:6.2f}   twice the text x {growth[unit]:.2f}"
        )
    return {
        "median_ms": statistics.median(every) * 1e3,
        "p99_ms": statistics.quantiles(every, n=100)[98] * 1e3,
        "prose_ms": medians[PROSE] * 1e3,
        "prose_zh_ms": medians[PROSE_ZH] * 1e3,
        "prose_to_word_split": medians[PROSE] / floor,
        "growth": max(growth.values()),
        "million_characters_ms": statistics.median(
            seconds(lambda: VALIDATOR.findings({"content": long}), runs)
        )
        * 1e3,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="runs of each text (15)")
    runs = parser.parse_args().runs
    folder = os.environ.get("CASES")
    cases = given_cases(Path(folder) / "adversarial.jsonl") if folder else own_cases()
    areas = table(cases)
    columns = ("all", "caught", "missed", "let through", "false refusals", "either way", "flagged")
    print(f"{'area':34}" + "".join(f"{column:>15}" for column in columns))
    total: Counter[str] = Counter()
    for name in sorted(areas):
        total += areas[name].outcomes
        print(f"{name:34}" + "".join(f"{areas[name].outcomes[column]:15}" for column in columns))
        for line in areas[name].details:
            print(line)
    print(f"{'total':34}" + "".join(f"{total[column]:15}" for column in columns))
    figures: dict[str, float] = {
        "cases": total["all"],
        "caught": total["caught"],
        "missed": total["missed"],
        "let_through": total["let through"],
        "false_refusals": total["false refusals"],
        **{name: round(value, 3) for name, value in cost(runs).items()},
    }
    print(
        json.dumps(
            {
                "bench": "validator",
                "figures": figures,
                "goals": GOALS,
                "met": all(figures[name] <= goal for name, goal in GOALS.items()),
                "versions": {
                    "python": platform.python_version(),
                    "detect-secrets": version("detect-secrets"),
                },
                "machine": platform.machine(),
            }
        )
    )


if __name__ == "__main__":
    main()
