"""Every block of the README is run, or compared with what it speaks of."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from django.core.management import get_commands

from memorykit_app.domain.states import ARROWS
from tests.workers import WorkerProcess

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
KNOWN = {"sh", "python", "http", "mermaid"}


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


def lines(starting: str) -> list[str]:
    return [
        line for text in blocks("sh") for line in text.splitlines() if line.startswith(starting)
    ]


def test_every_block_is_of_a_kind_that_a_test_looks_at():
    assert {kind for kind, _ in BLOCKS} == KNOWN
    assert len(lines("make ")) + len(lines(".venv/bin/python manage.py ")) == sum(
        len(text.splitlines()) for text in blocks("sh")
    )


@pytest.mark.parametrize("line", lines("make "))
def test_a_make_target_exists(line):
    asked = subprocess.run(
        ["make", "--dry-run", line.removeprefix("make ")], cwd=ROOT, capture_output=True
    )

    assert asked.returncode == 0, asked.stderr


def test_what_ci_runs_stands_in_the_readme():
    called = (ROOT / ".ci" / "run").read_text().splitlines()

    assert "make test" in called
    assert "make test" in README


@pytest.mark.django_db(transaction=True)
def test_the_commands_and_the_python_block_work(process_environment, tmp_path, capsys):
    worker = WorkerProcess(process_environment, tmp_path / "worker.log")
    worker.start()
    try:
        for line in lines(".venv/bin/python "):
            command = [sys.executable, *shlex.split(line)[1:]]
            done = subprocess.run(
                command, cwd=ROOT, env=process_environment, capture_output=True, timeout=120
            )
            assert done.returncode == 0, done.stderr.decode()
    finally:
        worker.kill()

    for text in blocks("python"):
        exec(compile(text, "README.md", "exec"), {})


def test_the_diagram_is_the_transition_table():
    drawn: dict[tuple[str, str], set[str]] = {}
    for line in blocks("mermaid")[0].splitlines()[1:]:
        source, target, verbs = re.fullmatch(r"\s+(\S+) --> (\S+): (.+)", line).groups()
        drawn[source, target] = set(verbs.split(", "))
    table: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for arrow in ARROWS:
        table[arrow.source.value if arrow.source else "[*]", arrow.target.value].add(
            arrow.verb.value
        )

    assert drawn == table


def test_every_command_is_listed_and_every_listed_one_exists():
    ours = {name for name, app in get_commands().items() if app == "memorykit_app"}
    listed = set(re.findall(r"^\| `(memorykit_\w+)", README, re.MULTILINE))

    assert listed == ours - {"migrate"}


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_figures_were_filled_in():
    assert "{{" not in README
