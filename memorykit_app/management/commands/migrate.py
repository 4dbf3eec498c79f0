"""Migrate, one process at a time, and never over a schema that is newer than the code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

_LOCK = 7_301_822_113_345_002
LABEL = "memorykit"


class Command(migrate.Command):
    help = f"{migrate.Command.help} Waits while another process migrates."

    def handle(self, *args: Any, **options: Any) -> None:
        with _one_at_a_time(options["database"]):
            _refuse_newer_schema(options["database"])
            super().handle(*args, **options)
            if not options.get("plan") and not options.get("check_unapplied"):
                _vector_round_trip(options["database"])


@contextmanager
def _one_at_a_time(alias: str) -> Iterator[None]:
    """Hold a lock on a connection of its own, so that nothing a migration does can end it."""
    keeper = connections.create_connection(alias)
    try:
        with keeper.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        yield
    finally:
        keeper.close()


def _refuse_newer_schema(alias: str) -> None:
    loader = MigrationLoader(connections[alias], ignore_no_migrations=True)
    known = {name for label, name in loader.disk_migrations if label == LABEL}
    applied = {name for label, name in loader.applied_migrations if label == LABEL}
    unknown = sorted(applied - known)
    if unknown:
        raise CommandError(
            f"The database holds {LABEL} migration {unknown[-1]}, which this code does not know: "
            "run the newer code, or restore the database that belongs to this one."
        )


def _vector_round_trip(alias: str) -> None:
    loader = MigrationLoader(connections[alias], ignore_no_migrations=True)
    if not any(label == LABEL for label, _ in loader.applied_migrations):
        return
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT '[1]'::vector <=> '[1]'::vector")
        if cursor.fetchone() != (0.0,):
            raise CommandError("The extension vector does not answer: reinstall it.")
