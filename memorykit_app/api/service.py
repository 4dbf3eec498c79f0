"""The API as one object: routers, parser, renderer, problems."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, re_path
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from memorykit_app.api import (
    context,
    edge,
    extractions,
    feedback,
    memories,
    problems,
    recall,
    tools,
    verbs,
)
from memorykit_app.api.bodies import JSON, StrictParser
from memorykit_app.api.rendering import PlainRenderer

VERSION = "1.0"


class MemoryApi(NinjaAPI):
    """The API whose every refusal is a problem."""

    def set_default_exception_handlers(self) -> None:
        self.add_exception_handler(Exception, _problem)

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the OpenAPI document, refusals under their own media type."""
        document = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        for operations in document["paths"].values():
            for operation in operations.values():
                for status, answer in operation["responses"].items():
                    if status >= 400:
                        answer["content"] = {problems.MEDIA_TYPE: answer["content"][JSON]}
        return document


def patterns() -> list[URLPattern]:
    """Return the routes, each behind the edge, and a last one for all that is unknown."""
    routes = cast("list[URLPattern]", api.urls[0])
    return [
        *(
            URLPattern(one.pattern, edge.guarded(one.callback), one.default_args, one.name)
            for one in routes
        ),
        re_path("", edge.guarded(edge.unknown)),
    ]


def _problem(request: HttpRequest, error: Any) -> HttpResponse:
    return problems.answer(request, error)


api = MemoryApi(
    title="memorykit",
    version=VERSION,
    description="Governed long-term memory for AI agents.",
    # Pages that show the API would need inline scripts; the file docs/openapi.json serves tools.
    openapi_url=None,
    docs_url=None,
    urls_namespace="memorykit",
    parser=StrictParser(),
    renderer=PlainRenderer(),
)
for part in (recall, context, memories, verbs, feedback, tools, extractions):
    api.add_router("", part.router)
