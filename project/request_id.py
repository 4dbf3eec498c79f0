"""One id per request: in its log lines and in its answer, from the proxy when that sent one."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from memorykit_app.api import request_ids


def stamped(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Replace an id that is missing or ill-formed before anything logs it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.META[request_ids.META] = request_ids.of(request)
        return get_response(request)

    return middleware
