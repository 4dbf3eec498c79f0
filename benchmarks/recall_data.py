"""The recall data: memories and questions as files have them, and as records of a store."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from tqdm import tqdm

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import ContentRefused
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, Provenance, State
from memorykit_app.services import creation, drain

BY = Principal.operator("bench")
UNANSWERABLE = ("adversarial", "foreign")


@dataclass(frozen=True, slots=True)
class Memory:
    dataset: str
    scope: str
    id: str
    at: datetime
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    dataset: str
    scope: str
    id: str
    at: datetime
    category: str
    text: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Data:
    """`memories` by scope in the order of the file."""

    memories: dict[str, list[Memory]]
    questions: list[Question]


def read(folder: Path, *, only: Iterable[str] = ()) -> Data:
    """Return the data of a folder, all sets or some. Raises SystemExit when it is not there."""
    sets = set(only)
    if not (folder / "memories.jsonl").is_file():
        raise SystemExit(
            f"bench-recall: no memories.jsonl in {folder}: set BENCH_DATA to the folder of the"
            " recall data."
        )
    memories: dict[str, list[Memory]] = defaultdict(list)
    for row in _rows(folder / "memories.jsonl"):
        if not sets or row["dataset"] in sets:
            memories[row["scope"]].append(
                Memory(
                    row["dataset"],
                    row["scope"],
                    row["id"],
                    _time(row["ts"]),
                    row["session"],
                    row["text"],
                )
            )
    questions = [
        Question(
            row["dataset"],
            row["scope"],
            row["qid"],
            _time(row["ts"]),
            row["category"],
            row["query"],
            frozenset(row["relevant"]),
        )
        for row in _rows(folder / "queries.jsonl")
        if not sets or row["dataset"] in sets
    ]
    return Data(dict(memories), questions)


def scope(name: str) -> Scope:
    return Scope.project("bench", name)


def load(data: Data) -> dict[UUID, Memory]:
    """Store all memories as active, embedded records and return them by the ids they got.

    A record's place in its session is its source, as extraction writes it.
    """
    stored: dict[UUID, Memory] = {}
    refused = 0
    for name, memories in data.memories.items():
        places: Counter[str] = Counter()
        for number, memory in enumerate(
            tqdm(memories, desc=name, leave=False, disable=None, unit=" records")
        ):
            source = SourceRef(
                kind="transcript", ref=memory.session, message_index=places[memory.session]
            )
            places[memory.session] += 1
            draft = Draft(
                kind=Kind.FACT,
                key=f"r{number:x}x",
                content=memory.text,
                valid_from=memory.at,
                sources=(source,) if memory.session else (),
            )
            try:
                record = creation.create(
                    draft,
                    scope=scope(name),
                    by=BY,
                    provenance=Provenance.OPERATOR_CURATED,
                    state=State.ACTIVE,
                    now=memory.at,
                )
            except ContentRefused:
                refused += 1
                continue
            stored[record.pk] = memory
    if refused:
        print(f"{refused} memories were refused by the content rules and are not found.")
    while drain.drain():
        pass
    return stored


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
