"""Queue: how much work waits, for workers and for reviewers."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from memorykit_app import backends
from memorykit_app.management import options as opts
from memorykit_app.services import jobs, review_backlog


class Command(opts.OperatorCommand):
    help = (
        "Count jobs by kind and state, with how long the oldest due one waits. For a tenant's"
        " project also the candidates that wait for a reviewer."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        opts.add_scope(parser, required=False)
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        scope = opts.optional_scope(options)
        tallies = jobs.tallies(scope)
        answer: dict[str, Any] = {"jobs": [asdict(tally) for tally in tallies]}
        rows = [
            (
                tally.kind,
                tally.state,
                tally.count,
                f"{tally.waiting_seconds:.0f} s" if tally.waiting_seconds else "",
            )
            for tally in tallies
        ]
        lines = opts.table(("JOB", "STATE", "COUNT", "OLDEST DUE"), rows) if rows else ["no jobs"]
        if scope is not None:
            now = backends.clock().now()
            waiting = review_backlog.backlog(scope=scope, by=opts.operator(), now=now)
            answer["candidates"] = asdict(waiting)
            lines.append(
                f"candidates waiting for review: {waiting.count}"
                + (f", the oldest for {_age(waiting.oldest_days)}" if waiting.count else "")
            )
        self.answer(options, answer, lines)


def _age(days: float) -> str:
    if days >= 1:
        return f"{days:.1f} days"
    minutes = round(days * 24 * 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
