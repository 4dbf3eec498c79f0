"""Refusals that only HTTP knows: no key, too many calls, too large, the wrong kind of body."""

from __future__ import annotations

from memorykit_app.domain.errors import MemorykitError


class Unauthenticated(MemorykitError):
    """Send a valid host key: Authorization: Bearer mk_..."""

    code = "unauthorized"


class ProjectNotBound(MemorykitError):
    """This host key does not open this project."""

    code = "forbidden"


class CapabilityMissing(MemorykitError):
    """The host key lacks a capability."""

    code = "forbidden"

    def __init__(self, capability: str) -> None:
        super().__init__(f"this host key lacks the capability {capability}")


class TooManyCalls(MemorykitError):
    """This host key calls too often; `retry_after` are the seconds to wait."""

    code = "too_many_requests"

    def __init__(self, retry_after: float) -> None:
        super().__init__()
        self.retry_after = retry_after


class BodyTooLarge(MemorykitError):
    """The body is too large."""

    code = "too_large"

    def __init__(self, most: int) -> None:
        super().__init__(f"the body must have at most {most} bytes")


class MediaTypeRefused(MemorykitError):
    """The body is of a kind that this route does not read."""

    code = "unsupported_media_type"

    def __init__(self, *known: str) -> None:
        super().__init__(f"send {' or '.join(known)} in UTF-8, not compressed")


class RouteNotFound(MemorykitError):
    """There is no such route; see the OpenAPI document."""

    code = "not_found"


class MethodRefused(MemorykitError):
    """This route does not answer this method; see the Allow header."""

    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__()
        self.allowed = allowed
