"""Receipts of recall: who was served a record, and whether an answer can be given again."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from memorykit_app.domain.errors import MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.management import options as opts
from memorykit_app.services import receipts, replay, scopes
from memorykit_app.services.receipts import Served
from memorykit_app.services.replay import Reason, Replay

_WHY = {
    Reason.POLICY_UNKNOWN: "its policy is neither the one in force nor a preset",
    Reason.PROFILE_CHANGED: "recall searches another embedding profile now",
    Reason.ERASED: "a record of this scope was erased since",
    Reason.VECTOR_DEGRADED: "a channel that answered then did not answer now (vector: records"
    " changed since, and old texts have no vectors)",
    Reason.DEGRADED_THEN: "a channel that failed then answered now",
    Reason.EMBEDDED_SINCE: "vectors were made since",
    Reason.UNEXPLAINED: "nothing on record explains it",
}


class Command(opts.OperatorCommand):
    help = (
        "Tell who was served a memory and when, or ask the question of a receipt again and tell"
        " whether the same records come back. Exit 1 when they do not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--memory", type=UUID, metavar="ID", help="who was served this record")
        what.add_argument("--replay", type=UUID, metavar="ID", help="the receipt to ask again")
        opts.add_scope(parser, required=False)
        parser.add_argument("--query", default="", metavar="TEXT", help="its question, in words")
        parser.add_argument("--keys", nargs="+", default=[], metavar="KEY", help="its exact keys")
        parser.add_argument(
            "--limit", type=int, default=1_000, help="at most so many lines for --memory (1000)"
        )
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        where = opts.optional_scope(options)
        if options["limit"] < 1:
            raise CommandError("--limit must be above 0", returncode=opts.USAGE)
        if options["memory"] is not None:
            self._served(options, where)
        else:
            self._replay(options, where)

    def _served(self, options: dict[str, Any], where: Scope | None) -> None:
        found: list[Served] = []
        for scope in _scopes(where):
            found += receipts.served(
                options["memory"], scope=scope, by=opts.operator(), limit=options["limit"]
            )
        rows = [
            (
                served.at.isoformat(timespec="seconds"),
                served.entry,
                served.actor,
                served.run_id or "-",
                served.version,
                served.place,
                served.receipt_id,
            )
            for served in found
        ]
        self.answer(
            options,
            {"memory_id": options["memory"], "served": [asdict(served) for served in found]},
            opts.table(("WHEN", "ENTRY", "TO", "RUN", "VERSION", "PLACE", "RECEIPT"), rows)
            if rows
            else ["no receipt names this memory"],
        )

    def _replay(self, options: dict[str, Any], where: Scope | None) -> None:
        again = replay.replay(
            options["replay"],
            options["query"],
            tuple(options["keys"]),
            scope=_scope_of(options["replay"], where),
            by=opts.operator(),
        )
        self.answer(options, _data(again), _lines(again))
        if not again.same:
            raise CommandError("the same records do not come back", returncode=opts.FAILED)


def _scopes(where: Scope | None) -> list[Scope]:
    if where is not None:
        return [where]
    return [record.scope for closed in (False, True) for record in scopes.every(closed=closed)]


def _scope_of(receipt_id: UUID, where: Scope | None) -> Scope:
    for scope in _scopes(where):
        try:
            receipts.find(receipt_id, scope=scope, by=opts.operator())
        except MemoryNotFound:
            continue
        return scope
    raise MemoryNotFound("no recall receipt has this id")


def _data(again: Replay) -> dict[str, Any]:
    return {
        "receipt_id": again.receipt_id,
        "same": again.same,
        "same_order": again.same_order,
        "changed_since": again.changed_since,
        "missing": [{"id": memory_id, "version": version} for memory_id, version in again.missing],
        "added": [{"id": memory_id, "version": version} for memory_id, version in again.added],
        "reasons": list(again.reasons),
    }


def _lines(again: Replay) -> list[str]:
    how = "by revisions: records changed since" if again.changed_since else "by all channels"
    if again.same:
        order = "in the same order" if again.same_order else "in another order"
        return [f"the same records come back, {order} ({how})"]
    lines = [] if again.same is None else [f"not the same ({how})"]
    lines += [f"missing  {memory_id} version {version}" for memory_id, version in again.missing]
    lines += [f"added    {memory_id} version {version}" for memory_id, version in again.added]
    return [*lines, *(f"{reason}: {_WHY[reason]}" for reason in again.reasons)]
