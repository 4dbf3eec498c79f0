"""Routes: how each is registered, so that none is without a key, a capability and its problems."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, Final, TypeVar

from ninja import Router
from pydantic import BaseModel

from memorykit_app.api.callers import BearerKey
from memorykit_app.api.problems import Problem
from memorykit_app.domain.actors import Capability

V = TypeVar("V", bound=Callable[..., Any])

#: Any route may answer with these.
REFUSED: Final = frozenset({400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503})


def route(
    router: Router,
    method: str,
    path: str,
    *,
    needs: Capability,
    answers: type[BaseModel] | None,
    status: int = 200,
    query: type[BaseModel] | None = None,
    name: str = "",
    body: dict[str, Any] | None = None,
) -> Callable[[V], V]:
    """Register a view on a router.

    `needs` is the capability of the key, `answers` the shape of the answer, `query` the closed
    set of query parameters, `name` the operation's when the view's own will not do, `body` the
    OpenAPI request body of a view that reads it raw.
    """

    def register(view: V) -> V:
        operation = name or view.__name__
        summary, _, description = cleandoc(view.__doc__ or "").partition("\n\n")
        names = frozenset(query.model_fields) if query else frozenset()
        responses: dict[Any, Any] = {status: answers, REFUSED: Problem}
        registered: V = router.api_operation(
            [method],
            path,
            auth=BearerKey(needs, names),
            response=responses,
            operation_id=operation,
            url_name=operation,
            summary=summary,
            description=f"{description}\n\nNeeds the capability `{needs}`.".strip(),
            openapi_extra={"requestBody": body} if body else None,
        )(view)
        return registered

    return register
