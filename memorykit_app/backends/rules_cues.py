"""Cues: a table of wordings, one a line, read as one pattern."""

from __future__ import annotations

import re


def english(table: str, **parts: str) -> re.Pattern[str]:
    """Return a pattern for whole words. A line may use `{NAME}` of `parts`; # starts a comment."""
    return re.compile(rf"(?<![\w'])(?:{_joined(table, parts)})(?!\w)", re.I)


def chinese(table: str, **parts: str) -> re.Pattern[str]:
    """Return a pattern that may stand inside a run of characters, as Chinese has no spaces."""
    return re.compile(_joined(table, parts), re.I)


def _joined(table: str, parts: dict[str, str]) -> str:
    lines = (line.partition("# ")[0].strip() for line in table.splitlines())
    joined = "|".join(line for line in lines if line)
    for name, wordings in parts.items():
        joined = joined.replace("{" + name + "}", f"(?:{wordings})")
    return joined
