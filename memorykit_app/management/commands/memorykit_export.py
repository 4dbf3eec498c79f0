"""Export: the audit trail of a scope as JSON Lines, without a word of content."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from memorykit_app.management import options as opts
from memorykit_app.services import audit


class Command(opts.OperatorCommand):
    help = (
        "Write the revisions of a scope as JSON Lines, oldest first: ids, actions, actors,"
        " reason codes and times, never content, keys or notes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        opts.add_scope(parser)
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="a new file, readable by you only"
        )
        parser.add_argument("--since", type=opts.moment, metavar="TIME", help="from then on")
        parser.add_argument("--until", type=opts.moment, metavar="TIME", help="before then")
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        wanted: dict[str, Any] = {
            "scope": opts.scope_of(options),
            "by": opts.operator(),
            "since": options["since"],
            "until": options["until"],
        }
        path: Path | None = options["output"]
        written, total = 0, audit.count(**wanted)
        with (
            self._target(path) as write,
            opts.progress(options, total=total, unit="revision") as bar,
        ):
            for row in audit.revisions(**wanted):
                written += 1
                write(opts.as_json(row))
                bar.update()
        if path is not None:
            self.answer(
                options, {"file": path, "revisions": written}, [f"{written} revisions in {path}"]
            )

    @contextmanager
    def _target(self, path: Path | None) -> Iterator[Callable[[str], Any]]:
        if path is None:
            yield self.stdout.write
            return
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise CommandError(
                f"{path}: cannot be made ({reason})", returncode=opts.USAGE
            ) from None
        with open(number, "w", encoding="utf-8") as file:
            yield lambda line: file.write(f"{line}\n")
