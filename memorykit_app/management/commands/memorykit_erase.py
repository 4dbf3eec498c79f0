"""Erase: one memory, everything from one source, or a whole scope, for good."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from memorykit_app import backends
from memorykit_app.management import options as opts
from memorykit_app.services import erasure_batch
from memorykit_app.services.erasure_batch import Erased, Order
from memorykit_app.services.erasure_selection import Selection


class Command(opts.OperatorCommand):
    help = (
        "Erase for good, and write a receipt. Stopped at any point and run again, it goes on."
        " Backups, write-ahead log and what hosts kept are outside its reach."
    )
    writes = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        opts.add_scope(parser)
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--id", type=UUID, help="one memory")
        what.add_argument("--source-ref", metavar="REF", help="all that names this source")
        what.add_argument(
            "--all", action="store_true", help="the whole scope, which is closed for good"
        )
        parser.add_argument(
            "--lineage",
            action="store_true",
            help="also what was derived from each, and the versions it superseded",
        )
        parser.add_argument("--reason", default="", metavar="CODE", help="a code, not words")
        parser.add_argument("--yes", action="store_true", help="do not ask at a terminal")
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        scope = opts.scope_of(options)
        selection = Selection(
            memory_id=options["id"],
            source_ref=options["source_ref"] or "",
            everything=options["all"],
            lineage=options["lineage"],
        )
        order = Order(
            scope=scope, by=opts.operator(), now=backends.clock().now(), reason=options["reason"]
        )
        planned = erasure_batch.plan(selection, order)
        if options["dry_run"]:
            lines = [f"would erase {len(planned.memory_ids)} memories", *_counts(planned.counts)]
            lines += [f"kept by a hold: {memory_id}" for memory_id in planned.held]
            data = {"memories": planned.memory_ids, "held": planned.held, "counts": planned.counts}
            self.answer(options, data, lines)
            return
        opts.confirmed(
            options,
            f"This erases {len(planned.memory_ids)} memories for good"
            + (" and closes the scope." if selection.everything else "."),
            scope.subject_id,
        )
        with opts.progress(options, total=len(planned.memory_ids), unit="memory") as bar:

            def told(erased: int) -> None:
                bar.update(erased - bar.n)

            done = erasure_batch.run(selection, order, told=told)
        self._tell(options, done)

    def _tell(self, options: dict[str, Any], done: Erased) -> None:
        receipt = done.receipt.pk if done.receipt else None
        lines = [f"erased {done.memories} memories", *_counts(done.counts)]
        lines.append(f"receipt {receipt}" if receipt else "no receipt: nothing was erased")
        data = {
            "memories": done.memories,
            "counts": done.counts,
            "held": done.held,
            "receipt": receipt,
        }
        self.answer(options, data, lines)
        if done.held:
            raise CommandError(
                f"a hold keeps {len(done.held)} memories: release them and run this again",
                returncode=opts.PARTIAL,
            )


def _counts(counts: dict[str, int]) -> list[str]:
    return [f"  {table}: {count}" for table, count in sorted(counts.items()) if count]
