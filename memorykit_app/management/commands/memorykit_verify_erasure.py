"""Prove an erase: look for the erased words everywhere, exit 1 when they are found."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memorykit_app.domain.errors import MemorykitError
from memorykit_app.services import verification


class Command(BaseCommand):
    help = "Search tables, planner statistics, Redis and logs for the words of an erased memory."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("receipt", type=UUID, help="id of the erasure receipt")
        parser.add_argument(
            "--probe-file",
            type=Path,
            required=True,
            help="a file with one text to look for per line; it is read and not kept",
        )
        parser.add_argument(
            "--logs",
            type=Path,
            action="append",
            default=[],
            metavar="FOLDER",
            help="also search the files of this folder (repeatable)",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["probe_file"]
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise CommandError(f"{path}: cannot be read as UTF-8 text", returncode=2) from None
        missing = [folder for folder in options["logs"] if not folder.is_dir()]
        if missing:
            raise CommandError(f"{missing[0]}: is not a folder", returncode=2)
        try:
            report = verification.verify(
                options["receipt"], [line for line in lines if line.strip()], logs=options["logs"]
            )
        except MemorykitError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report) | {"clean": report.clean}, default=str))
        else:
            self._tell(report)
        if not report.clean:
            raise CommandError("erased words were found or the receipt was changed", returncode=1)

    def _tell(self, report: verification.Report) -> None:
        self.stdout.write(
            f"receipt {report.receipt_id}: {'as written' if report.intact else 'CHANGED'}"
        )
        self.stdout.write(
            f"searched {report.columns} columns, {report.redis_keys} Redis keys, "
            f"{report.log_files} log files"
        )
        for hit in report.hits:
            self.stdout.write(f"  FOUND probe {hit.probe} in {hit.store} {hit.place}: {hit.count}")
        if not report.hits:
            self.stdout.write("nothing found")
        self.stdout.write(
            "outside its reach: write-ahead log, backups, replicas, and what hosts kept"
        )
