"""The edge: what stands around every view, so that no answer leaves but JSON or a problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from memorykit_app import conf
from memorykit_app.api import problems, request_ids
from memorykit_app.api.admission import admission
from memorykit_app.api.refusals import BodyTooLarge, MethodRefused, RouteNotFound

View = Callable[..., HttpResponseBase]


def guarded(view: View) -> View:
    """Wrap a view: no more calls than can be served, none too large, only JSON or a problem out."""

    # A verb opens its own transaction; an outer one would keep what it gave up.
    @transaction.non_atomic_requests
    @wraps(view)
    def edge(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            with admission().entered():
                response = _bounded(view, request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - nothing may leave but a problem
            response = problems.answer(request, error)
        response[request_ids.HEADER] = request_ids.of(request)
        response["Cache-Control"] = "no-store"
        response["X-Content-Type-Options"] = "nosniff"
        return response

    # Bearer keys only: no cookie is read, so none can be abused.
    edge.csrf_exempt = True  # type: ignore[attr-defined]
    return edge


def _bounded(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    most = conf.settings().limits.transcript_bytes
    declared = request.headers.get("Content-Length", "")
    if declared.isdecimal() and int(declared) > most:
        raise BodyTooLarge(most)
    response = view(request, *args, **kwargs)
    if isinstance(response, HttpResponseNotAllowed):
        raise MethodRefused(response["Allow"])
    return response


def unknown(request: HttpRequest) -> HttpResponseBase:
    """Refuse a path that no route has."""
    raise RouteNotFound
