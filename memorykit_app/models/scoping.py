"""Scope at the table: managers that answer nothing without one, and the sealed transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, NoReturn, TypeVar

from django.db import connection, models, transaction

from memorykit_app.domain.errors import ScopeRequired
from memorykit_app.domain.scope import Scope

M = TypeVar("M", bound=models.Model)
_READ = "SELECT coalesce(current_setting('memorykit.scope', true), '')"
_WRITE = "SELECT set_config('memorykit.scope', %s, true)"


class ScopedManager(models.Manager[M], Generic[M]):
    """Answers nothing until it is told for whom."""

    def get_queryset(self) -> NoReturn:
        raise ScopeRequired(f"{self.model.__name__}.objects needs .in_scope(scope)")

    def in_scope(self, scope: Scope) -> models.QuerySet[M]:
        """Return the rows of one scope. Raises ScopeRequired for anything but a Scope."""
        if not isinstance(scope, Scope):
            raise ScopeRequired("in_scope() takes a Scope")
        return models.QuerySet(self.model, using=self._db).filter(scope_id=scope.id)

    def in_granted(self, granted: Granted) -> models.QuerySet[M]:
        """Return the rows of the scopes that a reviewer was granted."""
        if not isinstance(granted, Granted):
            raise ScopeRequired("in_granted() takes a Granted")
        return models.QuerySet(self.model, using=self._db).filter(scope_id__in=granted.scope_ids)


class Granted:
    """The scopes one person may see, as ids; made by `access.granted_to` only."""

    __slots__ = ("scope_ids",)

    def __init__(self, scope_ids: Iterable[uuid.UUID]) -> None:
        self.scope_ids: tuple[uuid.UUID, ...] = tuple(scope_ids)


@contextmanager
def sealed(scope: Scope | Granted) -> Iterator[None]:
    """Open a transaction in which row-level security shows this scope only.

    Inside an open transaction it nests, and the outer scope returns afterwards.
    """
    ids = [scope.id] if isinstance(scope, Scope) else list(scope.scope_ids)
    nested = connection.in_atomic_block
    with transaction.atomic():
        before = _scalar(_READ) if nested else ""
        _scalar(_WRITE, ",".join(str(value) for value in ids))
        yield
        if nested:
            _scalar(_WRITE, before)


def _scalar(sql: str, *params: Any) -> str:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        row = cursor.fetchone()
    return str(row[0])
