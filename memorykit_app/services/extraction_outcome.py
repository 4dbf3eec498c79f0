"""What became of an extraction: its job as it is now, and the candidates it made."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from memorykit_app import conf
from memorykit_app.domain import identity
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Job, JobKind, JobState, Memory, access, sealed
from memorykit_app.services.faults import guarded

_FINAL = (JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A job's state, attempts and failure code, with what it stored so far."""

    job_id: UUID
    state: JobState
    attempts: int
    failure_code: str
    candidates: tuple[Memory, ...]

    @property
    def final(self) -> bool:
        return self.state in _FINAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A job's state, attempts and failure code, and nothing of what it found."""

    job_id: UUID
    state: JobState
    attempts: int
    failure_code: str


@guarded
def progress(job_id: UUID, *, scope: Scope, by: Principal) -> Progress:
    """Return how far an extraction job of this scope is, for those who may propose.

    Raises MemoryNotFound or AccessDenied.
    """
    with sealed(scope):
        access.authorize(by, access.PROPOSE, scope)
        job = _job(job_id, scope)
        return Progress(
            job_id=job_id,
            state=JobState(job.state),
            attempts=job.attempts,
            failure_code=job.failure_code,
        )


@guarded
def outcome(job_id: UUID, *, scope: Scope, by: Principal) -> Outcome:
    """Return the outcome of an extraction job of this scope.

    Candidates are those that are not erased, in transcript order; seeing them needs the review
    right. Raises MemoryNotFound or AccessDenied.
    """
    drafts = conf.settings().limits.drafts
    order = {identity.candidate_id(job_id, index): index for index in range(drafts)}
    with sealed(scope):
        access.authorize(by, access.REVIEW, scope)
        job = _job(job_id, scope)
        found = Memory.objects.in_scope(scope).filter(pk__in=order).exclude(content_hash="")
        return Outcome(
            job_id=job_id,
            state=JobState(job.state),
            attempts=job.attempts,
            failure_code=job.failure_code,
            candidates=tuple(sorted(found, key=lambda memory: order[memory.pk])),
        )


def _job(job_id: UUID, scope: Scope) -> Job:
    job = Job.objects.filter(pk=job_id, scope_id=scope.id, kind=JobKind.EXTRACT.value).first()
    if job is None:
        raise MemoryNotFound("no extraction job has this id")
    return job
