"""Django's PostgreSQL backend, which says how to start the server once it is needed.

Settings must load without a server (checks, type checking, `memorykit_services start`), so
the refusal comes with the first connection.
"""

from __future__ import annotations

from typing import Any, NoReturn

from django.db.backends.postgresql import base

from project.services.errors import ServiceError


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: Any) -> NoReturn:
        raise ServiceError(
            "The project's own PostgreSQL was never started: run `make run` or `manage.py"
            " memorykit_services start`, or set DATABASE_URL to a running server."
        )
