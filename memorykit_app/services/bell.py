"""The bell: Redis says "look now". Losing it costs seconds, never a job."""

from __future__ import annotations

from functools import lru_cache

import django_rq
import redis
from django.conf import settings

from memorykit_app import backends, conf

TASK = "memorykit_app.tasks.drain"
_KEY = "memorykit:bell:{queue}"
# A worker that dies with the bell in hand leaves it silent for no longer than this.
_SILENT_SECONDS = 10


@lru_cache(maxsize=8)
def _client(queue: str, place: str) -> redis.Redis:
    """Return one client for a queue at a place: a new one a ring would connect each time."""
    return django_rq.get_connection(queue)


def _place(queue: str) -> str:
    given = settings.RQ_QUEUES[queue]
    return str([given.get(name) for name in ("URL", "HOST", "PORT", "DB")])


def ring() -> bool:
    """Enqueue one drain unless one is waiting already; return False when Redis is away."""
    jobs = conf.settings().jobs
    try:
        queue = django_rq.get_queue(
            jobs.queue, commit_mode="auto", connection=_client(jobs.queue, _place(jobs.queue))
        )
        if queue.connection.set(_KEY.format(queue=jobs.queue), 1, nx=True, ex=_SILENT_SECONDS):
            queue.enqueue(
                TASK,
                job_timeout=int(jobs.lease_seconds + jobs.drain_seconds) + 60,
                result_ttl=0,
                failure_ttl=86_400,
                description="memorykit drain",
            )
    except redis.RedisError as error:
        backends.observer().notify("memory.bell_lost", {"error": type(error).__name__})
        return False
    return True


def answer() -> None:
    """Let the next ring through: called by a drain before its first claim."""
    jobs = conf.settings().jobs
    try:
        django_rq.get_queue(jobs.queue).connection.delete(_KEY.format(queue=jobs.queue))
    except redis.RedisError as error:
        backends.observer().notify("memory.bell_lost", {"error": type(error).__name__})
