"""The past: what recall would have known at a time, from revisions, by key and words only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from memorykit_app import sql
from memorykit_app.domain.states import Kind
from memorykit_app.domain.terms import weighted_terms
from memorykit_app.recall import full_text, statements
from memorykit_app.recall.calibration import Usual
from memorykit_app.recall.channels import Asked
from memorykit_app.recall.deadline import Deadline
from memorykit_app.recall.faults import translated
from memorykit_app.recall.full_text import Text
from memorykit_app.recall.fusion import Candidate
from memorykit_app.recall.policy import RecallPolicy
from memorykit_app.recall.rows import EXACT, FULL_TEXT, Found, Row


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A record as its revision has it."""

    memory_id: UUID
    fields: Mapping[str, Any]
    updated_at: datetime
    valid_from: datetime
    valid_until: datetime | None

    def shown(self, asked: Asked) -> bool:
        return (
            self.fields["kind"] in (asked.kinds or Kind.__members__.values())
            and self.valid_from <= asked.at
            and (self.valid_until is None or asked.at < self.valid_until)
        )


class Past:
    """Stands for `channels.Search` when a query says `known_at`.

    Old texts have no vectors, so that channel is always degraded; what was erased since has no
    text and is not found.
    """

    def __init__(
        self, asked: Asked, policy: RecallPolicy, deadline: Deadline, *, known_at: datetime
    ) -> None:
        self._asked = asked
        self._policy = policy
        self._deadline = deadline
        self._known_at = known_at
        self._snapshots: dict[UUID, _Snapshot] = {}

    def ranks(self) -> Found:
        """Return what was found by key and words. Raises Unavailable or RecallDependency."""
        self._snapshots = {snapshot.memory_id: snapshot for snapshot in self._load()}
        texts = {
            name: Text(
                weighted_terms(snapshot.fields["key"], snapshot.fields["content"]),
                len(snapshot.fields["content"].encode()),
                snapshot.shown(self._asked),
            )
            for name, snapshot in self._snapshots.items()
        }
        scores = self._scores(texts)
        exact = [
            name
            for name, text in texts.items()
            if text.shown and self._snapshots[name].fields["key"] in self._asked.keys
        ]
        ranks = {
            EXACT: self._ranked(dict.fromkeys(exact, 1.0), self._policy.exact_limit),
            FULL_TEXT: self._ranked(scores, self._policy.full_text_limit),
        }
        return Found(
            candidates=tuple(
                self._candidate(name, ranks, scores)
                for name in dict.fromkeys([*ranks[EXACT], *ranks[FULL_TEXT]])
            ),
            pinned=tuple(self._candidate(name, {}, {}) for name in self._pinned(texts)),
            usual=self._usual(texts),
        )

    def read(self, ids: Sequence[UUID]) -> list[Row]:
        """Return the rows of these records as they were."""
        return [self._row(self._snapshots[name]) for name in ids]

    def _load(self) -> list[_Snapshot]:
        params = {"scope": self._asked.scope_id, "known_at": self._known_at}
        try:
            rows = statements.execute(
                sql.load("recall")["past"], params, limit_ms=self._deadline.statement_ms()
            )
        except psycopg.Error as error:
            raise translated(error) from None
        return [_snapshot(memory_id, fields) for memory_id, fields in rows]

    def _scores(self, texts: Mapping[UUID, Text]) -> dict[UUID, float]:
        asked, policy = self._asked.terms, self._policy
        if policy.full_text_rule == "matched_terms":
            return full_text.matched_terms(asked, texts)
        return full_text.bm25(
            asked, texts, saturation=policy.bm25_saturation, length=policy.bm25_length
        )

    def _usual(self, texts: Mapping[UUID, Text]) -> Usual:
        asked, policy = self._asked.terms, self._policy
        if policy.full_text_rule == "matched_terms":
            return Usual(possible=float(len(asked)))
        return Usual(possible=full_text.possible(asked, texts, saturation=policy.bm25_saturation))

    def _ranked(self, scores: Mapping[UUID, float], limit: int) -> dict[UUID, int]:
        order = sorted(scores, key=lambda name: (-scores[name], *self._tie(name)))
        return {name: rank for rank, name in enumerate(order[:limit], start=1)}

    def _pinned(self, texts: Mapping[UUID, Text]) -> list[UUID]:
        pinned = (
            name
            for name, text in texts.items()
            if text.shown and self._snapshots[name].fields["pinned"]
        )
        return sorted(pinned, key=self._tie)[: self._asked.pinned]

    def _tie(self, name: UUID) -> tuple[int, float, UUID]:
        there = self._snapshots[name]
        return -there.fields["importance"], -there.updated_at.timestamp(), name

    def _candidate(
        self,
        name: UUID,
        ranks: Mapping[str, Mapping[UUID, int]],
        scores: Mapping[UUID, float],
    ) -> Candidate:
        there = self._snapshots[name]
        found = {channel: places[name] for channel, places in ranks.items() if name in places}
        known = {FULL_TEXT: scores[name]} if name in scores else {}
        return Candidate(
            memory_id=name,
            version=there.fields["version"],
            importance=there.fields["importance"],
            updated_at=there.updated_at,
            valid_from=there.valid_from,
            ranks=found,
            scores=known | ({EXACT: 1.0} if EXACT in found else {}),
        )

    @staticmethod
    def _row(snapshot: _Snapshot) -> Row:
        fields = snapshot.fields
        return (
            snapshot.memory_id,
            *(fields[name] for name in ("version", "kind", "key", "content")),
            *(fields[name] for name in ("importance", "confidence")),
            snapshot.valid_from,
            snapshot.valid_until,
            fields["provenance"],
            fields["pinned"],
            _refs(fields["sources"]),
        )


def _refs(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted({str(source["ref"]) for source in sources})


def _snapshot(memory_id: UUID, fields: Mapping[str, Any]) -> _Snapshot:
    until = fields["valid_until"]
    return _Snapshot(
        memory_id,
        fields,
        datetime.fromisoformat(fields["updated_at"]),
        datetime.fromisoformat(fields["valid_from"]),
        datetime.fromisoformat(until) if until else None,
    )
