"""What the superuser prepares: the plain role, its database and the extension."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from psycopg import sql

from project.services.ports import LOOPBACK

ADMIN = "memorykit_admin"
ROLE = "memorykit"
DATABASE = "memorykit"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster of ours, as its superuser sees it."""

    port: int
    admin_password: str

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """Open a connection as the superuser. Raises psycopg.OperationalError."""
        return psycopg.connect(
            host=LOOPBACK,
            port=self.port,
            user=ADMIN,
            password=self.admin_password,
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )

    def prepare(self, *, password: str, may_create_databases: bool) -> None:
        """Make role, database and extension, or set them right; repeating changes nothing."""
        with self.connect() as connection:
            self._role(connection, password, may_create_databases)
            self._database(connection)
        # Databases made later, those of tests, are copies of template1.
        for database in (DATABASE, "template1"):
            with self.connect(database) as connection:
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")

    def _role(self, connection: psycopg.Connection, password: str, createdb: bool) -> None:
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE])
        verb = sql.SQL("ALTER" if known.fetchone() else "CREATE")
        # Row-level security does not bind a superuser or a role with BYPASSRLS.
        rights = "NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOREPLICATION"
        connection.execute(
            sql.SQL("{} ROLE {} LOGIN {} {} PASSWORD {}").format(
                verb,
                sql.Identifier(ROLE),
                sql.SQL(rights),
                sql.SQL("CREATEDB" if createdb else "NOCREATEDB"),
                sql.Literal(password),
            )
        )

    def _database(self, connection: psycopg.Connection) -> None:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if not known.fetchone():
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(DATABASE), sql.Identifier(ROLE)
                )
            )
        connection.execute(
            sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(DATABASE))
        )
