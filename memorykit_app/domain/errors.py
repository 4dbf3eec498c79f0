"""The one error family. Messages name fields, rules and settings, never content."""

from __future__ import annotations


class MemorykitError(Exception):
    """Something memorykit refused or could not do."""

    code = "memory_error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip().splitlines()[0])


class ScopeRequired(MemorykitError):
    """A query was asked for without a scope."""

    code = "scope_required"


class InvalidScope(MemorykitError):
    """The scope is not valid: tenant and subject must be named."""

    code = "invalid_scope"


class InvalidMemory(MemorykitError):
    """The request is not valid."""

    code = "invalid_request"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidTranscript(InvalidMemory):
    """The transcript is not valid."""

    code = "invalid_transcript"


class ContentRefused(MemorykitError):
    """The content validator refused a field."""

    code = "invalid_memory_content"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: refused by rule {rule}")
        self.field = field
        self.rule = rule


class MemoryNotFound(MemorykitError):
    """No such memory in this scope."""

    code = "memory_not_found"


class AccessDenied(MemorykitError):
    """The authorizer did not allow this."""

    code = "forbidden"

    def __init__(self, verb: str) -> None:
        super().__init__(f"{verb}: not allowed")
        self.verb = verb


class Conflict(MemorykitError):
    """The memory is not in a state or version that allows this."""

    code = "memory_conflict"


class StaleVersion(Conflict):
    """The memory changed since it was read."""

    def __init__(self, *, expected: int, found: int) -> None:
        super().__init__(f"expected version {expected}, found {found}: read it again")
        self.expected = expected
        self.found = found


class TransitionRefused(Conflict):
    """The verb does not start from this state."""

    def __init__(self, *, verb: str, state: str) -> None:
        super().__init__(f"{verb} is not possible from state {state}")
        self.verb = verb
        self.state = state


class MemoryHeld(Conflict):
    """The memory is under a hold: release it first."""


class KeyTaken(Conflict):
    """Another active memory holds this kind and key."""


class IdempotencyConflict(Conflict):
    """This idempotency key was used for another request."""


class ScopeClosed(Conflict):
    """This scope was erased as a whole and takes no more writes."""


class FingerprintBlocked(Conflict):
    """This text was erased in this scope; a person must lift the block before it may return."""

    code = "memory_erased_before"


class BackendError(MemorykitError):
    """A plugged-in part failed; `recoverable` says whether trying again may help.

    `retry_after` are the seconds that the part asked to be left alone, when it said so.
    """

    code = "memory_unavailable"

    def __init__(self, op: str, *, recoverable: bool, retry_after: float | None = None) -> None:
        super().__init__(f"memory backend {op}: {'try again' if recoverable else 'failed'}")
        self.op = op
        self.recoverable = recoverable
        self.retry_after = retry_after


class Unavailable(MemorykitError):
    """The memory store cannot be reached now: try again."""

    code = "memory_unavailable"


class RecallDependency(MemorykitError):
    """A part that recall depends on failed in a way that retrying does not mend."""

    code = "memory_integrity_error"


class InvalidRecallResult(MemorykitError):
    """The store answered recall with rows that break a rule."""

    code = "memory_integrity_error"


class LeaseLost(MemorykitError):
    """The lease on this job ran out or was taken over; nothing was written."""

    code = "lease_lost"
