"""The drain: claim due jobs and work them until none is due or the time is up."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from itertools import groupby

from django.db import connection

from memorykit_app import conf
from memorykit_app.domain.errors import LeaseLost
from memorykit_app.models import FailureCode, JobKind
from memorykit_app.services import bell, embedding, extraction, leases, rebuild

logger = logging.getLogger("memorykit")
_BROKE = {
    JobKind.EXTRACT: FailureCode.CANDIDATE_WRITE_FAILED,
    JobKind.EMBED: FailureCode.EMBED_FAILED,
}


def drain() -> int:
    """Work due jobs and return how many were claimed.

    Stops claiming after DRAIN_SECONDS and rings again, so that a worker can be stopped between
    two drains and no RQ time-out hits a job midway.
    """
    settings = conf.settings().jobs
    bell.answer()
    leases.rescue()
    claimed = 0
    until = time.monotonic() + settings.drain_seconds
    while time.monotonic() < until:
        batch = leases.claim(JobKind.EXTRACT, limit=1) or leases.claim(
            JobKind.EMBED, limit=settings.claim_batch
        )
        if not batch and rebuild.feed():
            continue
        if not batch:
            return claimed
        claimed += len(batch)
        _work(batch)
    bell.ring()
    return claimed


def _work(batch: list[leases.Lease]) -> None:
    by_profile = sorted(batch, key=lambda lease: lease.profile)
    for _, group in groupby(by_profile, key=lambda lease: lease.profile):
        part = list(group)
        try:
            if batch[0].kind is JobKind.EXTRACT:
                extraction.run(batch[0])
            else:
                embedding.run(part)
        except LeaseLost:
            # Somebody else holds the job now; what it did here was rolled back.
            continue
        except Exception as error:  # noqa: BLE001
            # One job that breaks must not keep the others waiting. Its words may stand in the
            # exception, so only the type is told.
            logger.error("job_broke", extra={"error": type(error).__name__})
            _give_back(part)


def _give_back(batch: list[leases.Lease]) -> None:
    if not connection.is_usable():
        connection.close()
    for lease in batch:
        with suppress(LeaseLost):
            leases.fail(lease, _BROKE[lease.kind], recoverable=True)
