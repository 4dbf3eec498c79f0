"""The one RQ task, and the worker that will run nothing else."""

from __future__ import annotations

from typing import Any

from django.db import connections
from rq import Worker
from rq.job import Job
from rq.serializers import JSONSerializer

from memorykit_app.services import bell
from memorykit_app.services import drain as work


def drain() -> None:
    """Work what is due. Takes no argument and returns nothing: Postgres knows the rest."""
    work.drain()


class MemorykitWorker(Worker):
    """Runs `drain` and nothing else, with JSON only, and never shares a database connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["serializer"] = JSONSerializer
        super().__init__(*args, **kwargs)

    def execute_job(self, job: Job, queue: Any) -> None:
        # A forked child and its parent must not speak over one socket.
        connections.close_all()
        super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Any, execution: Any) -> bool:
        if job.func_name != bell.TASK or job.args or job.kwargs:
            self.log.error("memorykit worker: refused a task that is not %s", bell.TASK)
            job.delete()
            return False
        return bool(super().perform_job(job, queue, execution))
