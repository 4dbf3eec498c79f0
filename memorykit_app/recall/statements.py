"""Statements of recall: each under its own time limit, in one round trip, inside a savepoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg.pq import Format

from memorykit_app import sql


def execute(statement: str, params: Mapping[str, Any], *, limit_ms: int) -> list[tuple[Any, ...]]:
    """Return the rows of a statement; use it inside `sealed(scope)`.

    Parameters are bound by the server: a log of failed statements shows none of them. When it
    fails, with the psycopg.Error as it is, the transaction goes on as before.
    """
    queries = sql.load("recall")
    conn = connection.connection
    cursor = psycopg.Cursor(conn)
    cursor.format = Format.BINARY
    try:
        with conn.pipeline():
            psycopg.Cursor(conn).execute(queries["begin"].encode())
            psycopg.Cursor(conn).execute(
                queries["prepare"].encode(), {"statement_ms": f"{limit_ms}ms"}
            )
            cursor.execute(statement.encode(), params)
        return cursor.fetchall()
    except psycopg.Error:
        if not conn.broken:
            psycopg.Cursor(conn).execute(queries["undo"].encode())
        raise


@contextmanager
def own_settings() -> Iterator[None]:
    """Give a surrounding transaction the settings back that `execute` changes."""
    queries = sql.load("recall")
    with connection.cursor() as cursor:
        cursor.execute(queries["settings"])
        before = cursor.fetchone()
        yield
        cursor.execute(queries["restore"], before)
