"""The database server, as this role sees it: versions and rights."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from memorykit_app import sql

OLDEST_SERVER = 160_000
OLDEST_VECTOR = (0, 8, 2)
_SQL = sql.load("diagnosis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """`version` is PostgreSQL's number, such as 160004; vector versions are blank when missing.

    `vector` is installed in this database, `vector_available` could be.
    """

    version: int
    vector: str
    vector_available: str
    superuser: bool
    exempt: bool

    @property
    def recent(self) -> bool:
        return self.version >= OLDEST_SERVER

    @property
    def vector_recent(self) -> bool:
        """Whether the extension, or the one that a migration would create, is new enough."""
        parts = (self.vector or self.vector_available).split(".")[:3]
        return all(part.isdigit() for part in parts) and (
            tuple(int(part) for part in parts) >= OLDEST_VECTOR
        )


def look() -> Server:
    """Ask the server. Raises django.db.Error when it is away."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL["server"])
        version, vector, available, superuser, exempt = cursor.fetchone()
    return Server(
        version=version,
        vector=vector or "",
        vector_available=available or "",
        superuser=bool(superuser),
        exempt=bool(exempt),
    )
