"""Checks that ask the server, tagged `database`: run by `migrate` and `check --database`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, register
from django.db import DEFAULT_DB_ALIAS
from django.db import Error as DatabaseError

from memorykit_app.backends.base import Embedder
from memorykit_app.checks.message import TAG, error, setting, warning
from memorykit_app.checks.parts import built
from memorykit_app.checks.queue import the_database_is_postgresql
from memorykit_app.services import profiles, server


@register(Tags.database, TAG)
def the_server_is_fit(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Look at server, extension, role and stored dimension; silent where nothing answers.

    `migrate` says itself that a server is away, and makes the extension where it may.
    """
    if DEFAULT_DB_ALIAS not in (databases or ()) or the_database_is_postgresql():
        return []
    try:
        seen = server.look()
    except DatabaseError:
        return []
    found = []
    if not seen.recent:
        found.append(error("E020", "PostgreSQL is older than 16.", "Use PostgreSQL 16 or newer."))
    if not seen.vector_recent:
        found.append(
            error(
                "E021",
                "The extension vector is missing or older than 0.8.2.",
                "Install pgvector 0.8.2 or newer on the server.",
            )
        )
    if seen.superuser or seen.exempt:
        found.append(
            warning(
                "W001",
                "The database role is a superuser or passes row-level security.",
                "Run the app as a role with NOSUPERUSER NOBYPASSRLS.",
            )
        )
    return found + _stored_dimensions()


def _stored_dimensions() -> list[CheckMessage]:
    found = []
    for name, part in built():
        if not isinstance(part, Embedder):
            continue
        stored = _stored(name.removeprefix("EMBEDDERS."))
        if stored not in (None, part.dimension):
            found.append(
                error(
                    "E022",
                    f"{setting(name)} gives {part.dimension} numbers, its vectors have {stored}.",
                    "Another model needs another profile name.",
                )
            )
    return found


def _stored(profile: str) -> int | None:
    try:
        return profiles.stored_dimension(profile)
    except DatabaseError:
        # Before the first migration there is no table.
        return None
