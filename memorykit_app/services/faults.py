"""Faults: what the database says, in memorykit's own errors; safe steps are tried again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from django.db import Error, IntegrityError, connection
from psycopg import errors as pg

from memorykit_app.domain.errors import (
    Conflict,
    KeyTaken,
    MemorykitError,
    ScopeClosed,
    Unavailable,
)

P = ParamSpec("P")
R = TypeVar("R")

_TRIES = 3
_REFUSALS: dict[str, Callable[[], MemorykitError]] = {
    "memorykit_memory_one_active": KeyTaken,
    "memorykit_scope_closed": ScopeClosed,
    "memorykit_memory_pkey": lambda: Conflict("this id is taken"),
    "memorykit_job_one_pending": lambda: Conflict("the same work is pending already"),
    "memorykit_profile_incomplete": lambda: Conflict(
        "the profile lacks vectors that another one has: build it first"
    ),
    "memorykit_parent_living": lambda: Conflict("the memory changed meanwhile: read it again"),
}
_UNAVAILABLE = ("08", "53", "57P01", "57P02", "57P03", "57014", "55P03")
_TRY_AGAIN = ("40001", "40P01")


def sqlstate(error: BaseException) -> str:
    """Return the SQLSTATE behind a database error, or blank."""
    cause = error.__cause__
    return (cause.sqlstate or "") if isinstance(cause, pg.Error) else ""


def recoverable(error: BaseException) -> bool:
    """Tell whether trying again later may help: lost connections and the like."""
    state = sqlstate(error)
    if not state:
        return isinstance(error.__cause__, pg.OperationalError)
    return state.startswith((*_UNAVAILABLE, *_TRY_AGAIN))


@contextmanager
def translated() -> Iterator[None]:
    """Turn database refusals into typed errors. The driver's own text never gets out."""
    try:
        yield
    except IntegrityError as error:
        cause = error.__cause__
        name = cause.diag.constraint_name if isinstance(cause, pg.Error) else None
        refusal = _REFUSALS.get(name or "")
        if refusal is None:
            raise
        raise refusal() from error
    except Error as error:
        if not recoverable(error):
            raise
        raise Unavailable from error


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Run a verb with faults translated, up to three times on deadlock or serialization."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        outermost = not connection.in_atomic_block
        for attempt in range(1, _TRIES + 1):
            try:
                with translated():
                    return function(*args, **kwargs)
            except Unavailable as error:
                again = error.__cause__ is not None and sqlstate(error.__cause__) in _TRY_AGAIN
                if not (again and outermost) or attempt == _TRIES:
                    raise
        raise AssertionError("unreachable")

    return run
