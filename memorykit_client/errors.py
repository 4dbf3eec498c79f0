"""Errors: what a call can end with. No text here repeats what was sent."""

from __future__ import annotations

from typing import Any, Final


class ClientError(Exception):
    """The base of all that this client raises."""


class NoAnswer(ClientError):
    """The server could not be reached, or did not answer in time: a write may have been done."""


class UnexpectedAnswer(ClientError):
    """What answered is not this API, or one that this client does not understand."""

    def __init__(self, status: int) -> None:
        super().__init__(f"an answer with status {status} that is none of this API's")
        self.status = status


class ToolNotFound(ClientError):
    """There is no tool of this name."""


class InvalidArguments(ClientError):
    """The model wrote arguments that are not one JSON object."""


class WriteFailed(ClientError):
    """A write of this run failed, so its output may not claim that something was saved."""

    def __init__(self) -> None:
        super().__init__("项目记忆未保存")


class Problem(ClientError):
    """A refusal. `code` is stable, `field` names what to mend, `request_id` finds the log line."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        detail: str,
        request_id: str,
        field: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail} (request {request_id})")
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id
        self.field = field
        #: Seconds, when the server named some.
        self.retry_after = retry_after


class InvalidRequest(Problem):
    """The request breaks a rule: 400, 405, 413 or 415."""


class Unauthorized(Problem):
    """The key is not valid."""


class Forbidden(Problem):
    """The key does not open this project, or lacks the capability."""


class NotFound(Problem):
    """There is no such record here, or it is not yours."""


class Conflict(Problem):
    """The record is in another version or state."""


class TooManyCalls(Problem):
    """The key's rate is used up."""


class Unavailable(Problem):
    """Not available now."""


_KINDS: Final[dict[int, type[Problem]]] = {
    400: InvalidRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: InvalidRequest,
    409: Conflict,
    413: InvalidRequest,
    415: InvalidRequest,
    429: TooManyCalls,
    503: Unavailable,
}


def problem(status: int, body: Any, retry_after: float | None) -> ClientError:
    """Return the error for a refusal's body; one that is no problem is UnexpectedAnswer."""
    texts = ("code", "detail", "request_id")
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in texts):
        return UnexpectedAnswer(status)
    field = body.get("field")
    return _KINDS.get(status, Problem)(
        status=status,
        field=field if isinstance(field, str) else None,
        retry_after=retry_after,
        **{name: body[name] for name in texts},
    )
