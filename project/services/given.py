"""Servers that DATABASE_URL and REDIS_URL name: what they must offer before we use them."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
import redis
from psycopg import errors
from redis.backoff import NoBackoff
from redis.retry import Retry

from project.services.errors import ServiceError

OLDEST_POSTGRES = 16
OLDEST_VECTOR = (0, 8, 2)
CONNECT_SECONDS = 5


def check_database(url: str, *, for_tests: bool = False) -> None:
    """Refuse a database that memorykit could not run on, or make its extension.

    Raises ServiceError naming what is missing and the command that adds it.
    """
    name = urlsplit(url).path.lstrip("/")
    if urlsplit(url).scheme not in {"postgres", "postgresql"} or not name:
        raise ServiceError(
            "DATABASE_URL must look like postgresql://user:password@host:5432/database."
        )
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        raise ServiceError(
            f"The database of DATABASE_URL cannot be reached ({_first_line(error)}): start it,"
            " correct the URL, or unset DATABASE_URL to use the project's own."
        ) from error
    with connection:
        _check_version(connection)
        _check_role(connection, name, for_tests=for_tests)
        _check_extension(connection, name)
    if for_tests:
        _check_template(url)


def _check_version(connection: psycopg.Connection) -> None:
    major = connection.info.server_version // 10_000
    if major < OLDEST_POSTGRES:
        raise ServiceError(
            f"DATABASE_URL names PostgreSQL {major} and memorykit needs {OLDEST_POSTGRES} or"
            " newer: upgrade it, or unset DATABASE_URL to use the project's own."
        )


def _check_role(connection: psycopg.Connection, name: str, *, for_tests: bool) -> None:
    row = connection.execute(
        "SELECT rolname, rolsuper, rolbypassrls, rolcreatedb,"
        " has_schema_privilege(current_schema(), 'CREATE')"
        " FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    assert row is not None
    role, superuser, bypass, createdb, may_create = row
    if superuser or bypass:
        raise ServiceError(
            f"DATABASE_URL logs in as {role}, which row-level security does not bind (superuser"
            " or BYPASSRLS): let an administrator run `CREATE EXTENSION IF NOT EXISTS vector;"
            f" CREATE ROLE memorykit LOGIN PASSWORD '...'; ALTER DATABASE {name} OWNER TO"
            " memorykit;` and use that role."
        )
    if for_tests and not createdb:
        raise ServiceError(
            f"The tests make databases of their own and {role} may not: let an administrator"
            f" run `ALTER ROLE {role} CREATEDB;`, or unset DATABASE_URL."
        )
    if not may_create:
        raise ServiceError(
            f"{role} may not make tables in database {name}: let an administrator run"
            f" `ALTER DATABASE {name} OWNER TO {role};`."
        )


def _check_extension(connection: psycopg.Connection, name: str) -> None:
    wanted = ".".join(map(str, OLDEST_VECTOR))
    row = connection.execute(
        "SELECT default_version, installed_version FROM pg_available_extensions"
        " WHERE name = 'vector'"
    ).fetchone()
    if row is None:
        raise ServiceError(
            "The server of DATABASE_URL has no pgvector: install its package there (pgvector"
            f" {wanted} or newer), or unset DATABASE_URL to use the project's own."
        )
    offered, installed = row
    if installed is None:
        if _number(offered) >= OLDEST_VECTOR:
            _create_extension(connection, name)
            return
        installed = offered
    if _number(installed) >= OLDEST_VECTOR:
        return
    remedy = (
        f"let an administrator run `ALTER EXTENSION vector UPDATE;` in database {name}"
        if _number(offered) >= OLDEST_VECTOR
        else "upgrade its package on the server"
    )
    raise ServiceError(f"pgvector {installed} is older than {wanted}: {remedy}.")


def _create_extension(connection: psycopg.Connection, name: str) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except errors.InsufficientPrivilege as error:
        raise ServiceError(
            f"The extension vector is missing in database {name} and its role may not create"
            f" it: let an administrator run `CREATE EXTENSION vector;` in database {name}."
        ) from error


def _check_template(url: str) -> None:
    template = urlsplit(url)._replace(path="/template1").geturl()
    try:
        with psycopg.connect(template, connect_timeout=CONNECT_SECONDS) as connection:
            row = connection.execute(
                "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
            ).fetchone()
    except psycopg.OperationalError:
        # Not every server lets a plain role look; the first test database will tell.
        return
    if row is None:
        raise ServiceError(
            "Test databases are copies of template1, which lacks the extension vector: let an"
            " administrator run `CREATE EXTENSION vector;` in database template1."
        )


def check_redis(url: str) -> None:
    """Refuse a Redis that does not answer. Raises ServiceError."""
    try:
        client = redis.Redis.from_url(
            url,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=CONNECT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError as error:
        raise ServiceError("REDIS_URL must look like redis://host:6379/0.") from error
    try:
        with client:
            client.ping()
    except redis.RedisError as error:
        raise ServiceError(
            f"There is no Redis at REDIS_URL ({_first_line(error)}): start it, correct the URL,"
            " or unset REDIS_URL to use the project's own."
        ) from error


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
