"""Checks of what the app runs on, as far as settings tell: database and queue."""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, register
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.module_loading import import_string
from rq.serializers import JSONSerializer

from memorykit_app import conf
from memorykit_app.checks.message import TAG, error, setting


@register(TAG)
def the_database_is_postgresql(**_: Any) -> list[CheckMessage]:
    if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
        return []
    return [
        error(
            "E008",
            "The default database is not PostgreSQL.",
            "Row-level security, vectors and leases need it: set DATABASE_URL to one.",
        )
    ]


@register(TAG)
def the_queue_speaks_json(**_: Any) -> list[CheckMessage]:
    if conf.problems():
        return []
    name = conf.settings().jobs.queue
    queue = getattr(django_settings, "RQ_QUEUES", {}).get(name)
    if queue is None:
        return [
            error(
                "E009",
                f"RQ_QUEUES has no queue {name!r}.",
                f"Add it, or name another one in {setting('JOBS.QUEUE')}.",
            )
        ]
    if not _is_json(queue.get("SERIALIZER")):
        return [
            error(
                "E010",
                f"RQ_QUEUES[{name!r}] does not use the JSON serializer.",
                'Pickle runs code on reading: set "SERIALIZER": "rq.serializers.JSONSerializer".',
            )
        ]
    return []


def _is_json(serializer: object) -> bool:
    if isinstance(serializer, str):
        try:
            serializer = import_string(serializer)
        except ImportError:
            return False
    return isinstance(serializer, type) and issubclass(serializer, JSONSerializer)
