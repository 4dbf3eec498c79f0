"""Sweep: give back lost leases, ring lost bells, expire old candidates; once or for ever."""

from __future__ import annotations

import random
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, connection

from memorykit_app import backends, conf
from memorykit_app.domain.errors import Unavailable
from memorykit_app.management import options as opts
from memorykit_app.services import sweep
from memorykit_app.services.sweep import Swept

_STOPS = (signal.SIGTERM, signal.SIGINT)


class Command(opts.OperatorCommand):
    help = (
        "Sweep once, or with --loop every MEMORYKIT[JOBS][SWEEP_SECONDS] until it is told to"
        " stop. Needs PostgreSQL, and neither Redis nor a worker."
    )
    writes = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--loop", action="store_true", help="sweep until SIGTERM")
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        if options["loop"] and options["dry_run"]:
            raise CommandError("--loop and --dry-run exclude each other", returncode=opts.USAGE)
        if options["loop"]:
            with _stop_signal() as stop:
                self._loop(options, stop)
            return
        swept = sweep.sweep(now=backends.clock().now(), dry_run=options["dry_run"])
        if swept.skipped:
            raise CommandError("another sweeper is at work", returncode=opts.LOCKED)
        self.answer(options, swept.as_dict(), [_line(swept)])

    def _loop(self, options: dict[str, Any], stop: threading.Event) -> None:
        pause = conf.settings().jobs.sweep_seconds
        while not stop.is_set():
            try:
                swept = sweep.sweep(now=backends.clock().now(), stopping=stop.is_set)
            except (DatabaseError, InterfaceError, psycopg.Error, Unavailable) as error:
                # It will be back; the next round tries on a new connection.
                connection.close()
                name = type(error).__name__
                backends.observer().notify("memory.sweep_failed", {"error": name})
                self.stderr.write(f"the sweep failed ({name}): next try in {pause:.0f} s")
            else:
                if swept != Swept() and not swept.skipped:
                    self.answer(options, swept.as_dict(), [_line(swept)])
            # Spread, so that sweepers which started together do not stay together.
            stop.wait(pause * random.uniform(0.9, 1.0))  # noqa: S311 - guards nothing


@contextmanager
def _stop_signal() -> Iterator[threading.Event]:
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in _STOPS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _line(swept: Swept) -> str:
    return (
        f"leases given back {swept.rescued}, bell {'rung' if swept.rang else 'silent'},"
        f" candidates expired {swept.expired}, transcripts deleted {swept.transcripts},"
        f" receipts deleted {swept.receipts}, revisions sealed {swept.seals}"
    )
