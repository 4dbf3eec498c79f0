"""Rows: what every verb reads and writes, by plain SQL, where building queries costs the most.

All runs in the caller's sealed transaction, and names the scope besides. Conditions are written
in the code and never made of what somebody said: that goes into their parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, LiteralString, TypeVar

from django.db import connection, models
from psycopg.sql import SQL, Composed, Identifier

M = TypeVar("M", bound=models.Model)


@contextmanager
def one_round_trip() -> Iterator[None]:
    """Send what is written inside together. The first refusal is raised, at the end at latest."""
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def insert(*rows: models.Model) -> None:
    """Store new rows whole."""
    with connection.cursor() as cursor:
        for row in rows:
            fields = row._meta.concrete_fields
            values = [f.get_db_prep_save(getattr(row, f.attname), connection) for f in fields]
            cursor.execute(_insert(type(row)), values)
            row._state.adding, row._state.db = False, connection.alias


def select(model: type[M], condition: LiteralString, params: Sequence[Any]) -> list[M]:
    """Return the rows of a condition, with what may follow one: order, limit, lock.

    For tables whose columns need no conversion: none of JSON.
    """
    names = [field.attname for field in model._meta.concrete_fields]
    with connection.cursor() as cursor:
        cursor.execute(_select(model, condition), params)
        return [model.from_db(connection.alias, names, row) for row in cursor.fetchall()]


def select_with(
    model: type[M], beside: LiteralString, condition: LiteralString, params: Sequence[Any]
) -> list[tuple[M, Any]]:
    """Return the rows of a condition as `select` does, each with the value of an expression."""
    names = [field.attname for field in model._meta.concrete_fields]
    with connection.cursor() as cursor:
        cursor.execute(_select(model, condition, beside), params)
        return [
            (model.from_db(connection.alias, names, row), value)
            for *row, value in cursor.fetchall()
        ]


def update(
    model: type[models.Model],
    changes: Mapping[str, Any],
    condition: LiteralString,
    params: Sequence[Any],
) -> int:
    """Change fields by their names; return how many rows there were."""
    fields = {field.attname: field for field in model._meta.concrete_fields}
    values = [fields[name].get_db_prep_save(value, connection) for name, value in changes.items()]
    columns = tuple(str(fields[name].column) for name in changes)
    with connection.cursor() as cursor:
        cursor.execute(_update(model, columns, condition), [*values, *params])
        return int(cursor.rowcount)


def delete(model: type[models.Model], condition: LiteralString, params: Sequence[Any]) -> int:
    """Delete the rows of a condition, for tables that nothing points to; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(_delete(model, condition), params)
        return int(cursor.rowcount)


@cache
def _insert(model: type[models.Model]) -> str:
    columns = _columns(model)
    places = SQL(", ").join([SQL("%s")] * len(columns))
    return _text(
        SQL("INSERT INTO {} ({}) VALUES ({})").format(_table(model), _list(columns), places)
    )


@cache
def _select(model: type[models.Model], condition: LiteralString, beside: LiteralString = "") -> str:
    columns = _list(_columns(model))
    if beside:
        columns = SQL(", ").join([columns, SQL(beside)])
    return _text(SQL("SELECT {} FROM {} WHERE {}").format(columns, _table(model), SQL(condition)))


@cache
def _update(model: type[models.Model], columns: tuple[str, ...], condition: LiteralString) -> str:
    places = SQL(", ").join(SQL("{} = %s").format(Identifier(column)) for column in columns)
    return _text(SQL("UPDATE {} SET {} WHERE {}").format(_table(model), places, SQL(condition)))


@cache
def _delete(model: type[models.Model], condition: LiteralString) -> str:
    return _text(SQL("DELETE FROM {} WHERE {}").format(_table(model), SQL(condition)))


def _columns(model: type[models.Model]) -> list[str]:
    return [str(field.column) for field in model._meta.concrete_fields]


def _table(model: type[models.Model]) -> Identifier:
    return Identifier(model._meta.db_table)


def _list(columns: Iterable[str]) -> Composed:
    return SQL(", ").join(map(Identifier, columns))


def _text(statement: Composed) -> str:
    return statement.as_string(None)
