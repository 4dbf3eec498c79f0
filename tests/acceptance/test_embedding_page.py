"""The page on embedding: each block is run, after the ones before it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "embedding.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.django_db
def test_every_block_runs():
    assert {language for language, _ in BLOCKS} == {"python"}
    names: dict[str, object] = {}

    for _, text in BLOCKS:
        exec(compile(text, "docs/embedding.md", "exec"), names)

    assert names["artifact"] is None
    assert names["failed"].write_failed
    assert names["record"].state == "active"


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / target).exists(), target
