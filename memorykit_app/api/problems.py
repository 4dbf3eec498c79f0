"""Problems: every refusal as problem+json with a code and a request id, and no content."""

from __future__ import annotations

import json
import logging
import math
from http import HTTPStatus
from typing import Final

from django.core.exceptions import ImproperlyConfigured, RequestDataTooBig, SuspiciousOperation
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from ninja.errors import HttpError, ValidationError
from pydantic import BaseModel

from memorykit_app import conf
from memorykit_app.api import bodies, refusals, request_ids
from memorykit_app.domain import errors
from memorykit_app.domain.strict_json import InvalidJson
from memorykit_app.services import faults

logger = logging.getLogger("memorykit")

MEDIA_TYPE: Final = "application/problem+json"
_RETRY_SECONDS = 1
_UNEXPECTED = "something went wrong here; the log has it under this request id"
#: The first class that fits decides.
_STATUSES: Final[tuple[tuple[type[errors.MemorykitError], HTTPStatus], ...]] = (
    (refusals.Unauthenticated, HTTPStatus.UNAUTHORIZED),
    (refusals.ProjectNotBound, HTTPStatus.FORBIDDEN),
    (refusals.CapabilityMissing, HTTPStatus.FORBIDDEN),
    (refusals.TooManyCalls, HTTPStatus.TOO_MANY_REQUESTS),
    (refusals.BodyTooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (refusals.MediaTypeRefused, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (refusals.RouteNotFound, HTTPStatus.NOT_FOUND),
    (refusals.MethodRefused, HTTPStatus.METHOD_NOT_ALLOWED),
    (errors.MemoryNotFound, HTTPStatus.NOT_FOUND),
    (errors.AccessDenied, HTTPStatus.FORBIDDEN),
    (errors.InvalidScope, HTTPStatus.FORBIDDEN),
    (errors.Conflict, HTTPStatus.CONFLICT),
    (InvalidJson, HTTPStatus.BAD_REQUEST),
    (errors.InvalidMemory, HTTPStatus.BAD_REQUEST),
    (errors.ContentRefused, HTTPStatus.BAD_REQUEST),
    (errors.Unavailable, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Problem(BaseModel):
    """Why a request was refused. `code` is stable; `field` names what to mend."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    field: str | None = None
    request_id: str


def answer(request: HttpRequest, error: BaseException) -> HttpResponse:
    """Return the problem for any error as an answer."""
    problem, headers = told(error, request_ids.of(request))
    response = HttpResponse(
        json.dumps(problem.model_dump(exclude_none=True)),
        status=problem.status,
        content_type=MEDIA_TYPE,
    )
    for name, value in headers.items():
        response[name] = value
    return response


def told(error: BaseException, request_id: str) -> tuple[Problem, dict[str, str]]:
    """Return the problem and its headers; what nobody expected is a 500 and a line in the log."""
    error = _typed(error)
    status = _status(error)
    field = None
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        code, detail = errors.Unavailable.code, "not available now: try again"
    elif isinstance(error, errors.MemorykitError) and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        code, detail = error.code, str(error)
        field = getattr(error, "field", "") or None
    else:
        code, detail = _defect_code(error), _UNEXPECTED
        _log(error, request_id)
    problem = Problem(
        title=status.phrase,
        status=status,
        code=code,
        detail=detail,
        field=field,
        request_id=request_id,
    )
    return problem, _headers(error, status)


def _typed(error: BaseException) -> BaseException:
    """Return what an error of Django, ninja or the database means in memorykit's own words."""
    if isinstance(error, ValidationError):
        return bodies.refusal(error.errors)
    if isinstance(error, HttpError) and error.__cause__ is not None:
        # ninja wraps whatever its parser raises.
        return _typed(error.__cause__)
    if isinstance(error, Http404):
        return refusals.RouteNotFound()
    if isinstance(error, RequestDataTooBig):
        return refusals.BodyTooLarge(conf.settings().limits.transcript_bytes)
    if isinstance(error, UnreadablePostError | SuspiciousOperation):
        return InvalidJson("", "could not be read; send it again")
    if isinstance(error, DatabaseError) and faults.recoverable(error):
        return errors.Unavailable()
    return error


def _status(error: BaseException) -> HTTPStatus:
    if isinstance(error, errors.BackendError):
        recoverable = error.recoverable
        return HTTPStatus.SERVICE_UNAVAILABLE if recoverable else HTTPStatus.INTERNAL_SERVER_ERROR
    if isinstance(error, errors.AccessDenied) and error.__cause__ is not None:
        # The authorizer broke: nobody decided.
        return HTTPStatus.SERVICE_UNAVAILABLE
    for kind, status in _STATUSES:
        if isinstance(error, kind):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _defect_code(error: BaseException) -> str:
    if isinstance(error, errors.RecallDependency | errors.InvalidRecallResult):
        return error.code
    if isinstance(error, ImproperlyConfigured):
        return "memory_configuration_error"
    return errors.MemorykitError.code


def _headers(error: BaseException, status: HTTPStatus) -> dict[str, str]:
    if isinstance(error, refusals.Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, refusals.MethodRefused):
        return {"Allow": error.allowed}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        seconds = getattr(error, "retry_after", None) or _RETRY_SECONDS
        return {"Retry-After": str(max(1, math.ceil(seconds)))}
    return {}


def _log(error: BaseException, request_id: str) -> None:
    """Say what broke and where, without the message: it may repeat a row's values."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}" if trace else ""
    logger.error(
        "api_failed",
        extra={"error": type(error).__name__, "at": at, "request_id": request_id},
    )
