"""Two probes: does the process live, and can it do its work."""

from __future__ import annotations

import django_rq
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError


@never_cache
@require_safe
def alive(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the process serves requests; looks at nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when PostgreSQL answers, else 503.

    Redis wakes workers and counts calls: without it recall goes on, and writes over HTTP as
    MEMORYKIT[API][WITHOUT_REDIS] says, so it is reported as degraded and takes no web process
    out of service.
    """
    database, redis = _database_answers(), _redis_answers()
    status = "ok" if database and redis else "degraded" if database else "down"
    body = {"status": status, "database": _word(database), "redis": _word(redis)}
    return JsonResponse(body, status=200 if database else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _redis_answers() -> bool:
    try:
        return bool(django_rq.get_connection("memorykit").ping())
    except RedisError:
        return False


def _word(answers: bool) -> str:
    return "ok" if answers else "down"
