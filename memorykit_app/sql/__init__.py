"""Named SQL: each file holds queries under `-- name --` lines, read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

_HEADER = re.compile(r"^-- ([a-z][a-z0-9_]*) --$", re.MULTILINE)


@cache
def load(name: str) -> Mapping[str, str]:
    """Return the queries of `<name>.sql` by their names. Raises ValueError on a name used twice."""
    text = (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
    _, *parts = _HEADER.split(text)
    names = parts[::2]
    if len(set(names)) != len(names):
        raise ValueError(f"{name}.sql names a query twice")
    return MappingProxyType(dict(zip(names, map(str.strip, parts[1::2]), strict=True)))
