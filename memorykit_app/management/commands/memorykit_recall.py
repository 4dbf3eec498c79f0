"""Recall: ask what a scope remembers, as an agent host would be answered."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from memorykit_app import backends
from memorykit_app.domain.states import Kind
from memorykit_app.management import options as opts
from memorykit_app.models import Entry
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.recall.search import recall
from memorykit_app.services import receipts, scopes

_UNKNOWN = "nothing was ever stored for this tenant and project: check --tenant and --project"


class Command(opts.OperatorCommand):
    help = "Ask for recall: the active records that fit a question, best first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "query", metavar="QUERY", nargs="?", default="", help="the question, in words"
        )
        opts.add_scope(parser)
        parser.add_argument("--keys", nargs="+", default=[], metavar="KEY", help="exact keys")
        parser.add_argument(
            "--kinds", nargs="+", default=[], choices=[*Kind], metavar="KIND", help="only these"
        )
        parser.add_argument("--items", type=int, help="at most so many items")
        parser.add_argument("--tokens", type=int, help="at most so many tokens")
        parser.add_argument(
            "--as-of", type=opts.moment, metavar="TIME", help="what was valid at that time"
        )
        parser.add_argument(
            "--known-at", type=opts.moment, metavar="TIME", help="what was known at that time"
        )
        parser.add_argument(
            "--explain", action="store_true", help="show ranks and scores, and what was left out"
        )
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        query = RecallQuery(
            text=options["query"],
            keys=tuple(options["keys"]),
            kinds=tuple(options["kinds"]),
            items=options["items"],
            tokens=options["tokens"],
            as_of=options["as_of"],
            known_at=options["known_at"],
        )
        who: dict[str, Any] = {
            "scope": opts.scope_of(options),
            "by": opts.operator(),
            "now": backends.clock().now(),
        }
        result = recall(query, **who, explain=options["explain"])
        receipt = receipts.store(result, query, **who, entry=Entry.COMMAND)
        known = bool(result.items) or scopes.known(who["scope"])
        data = {"known": known, "receipt_id": receipt} | _data(result, options["explain"])
        lines = [*_lines(result), *([f"receipt {receipt}"] if receipt else [])]
        self.answer(options, data, lines if known else [_UNKNOWN, *lines])


def _data(result: RecallResult, explain: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "items": [_plain(item) for item in result.items],
        "degraded": list(result.degraded),
        "dropped": [_plain(entry) for entry in result.dropped],
        "policy": result.policy,
        "elapsed_ms": round(result.elapsed_ms, 1),
    }
    if explain:
        data["explained"] = [_plain(entry) for entry in result.explained]
    return data


def _plain(entry: Any) -> dict[str, Any]:
    fields = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    return {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()
    }


def _lines(result: RecallResult) -> list[str]:
    lines: list[str] = []
    for number, item in enumerate(result.items, 1):
        pinned = ", pinned" if item.pinned else ""
        lines += [
            f"{number}. {item.kind} {item.key} ({item.memory_id}, version {item.version}{pinned})",
            f"   {item.content}",
        ]
    if not result.items:
        lines.append("nothing is recalled")
    lines.append(f"policy {result.policy}, {result.elapsed_ms:.0f} ms")
    if result.degraded:
        lines.append(f"degraded: {', '.join(result.degraded)}")
    if result.dropped:
        lines.append(f"did not fit the budget: {len(result.dropped)}")
    if result.explained:
        rows = [
            (
                entry.memory_id,
                f"{entry.score:.4f}",
                " ".join(f"{name}:{rank}" for name, rank in sorted(entry.ranks.items())),
                entry.outcome,
            )
            for entry in result.explained
        ]
        lines += opts.table(("ID", "SCORE", "RANKS", "OUTCOME"), rows)
    return lines
