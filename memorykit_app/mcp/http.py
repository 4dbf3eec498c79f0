"""MCP over streamable HTTP: each request brings its key, its path names the project."""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import uuid4

from anyio import to_thread
from django.conf import settings
from django.db import close_old_connections
from mcp.server import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memorykit_app.api import problems
from memorykit_app.api.callers import BEARER
from memorykit_app.api.refusals import Unauthenticated
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import AccessDenied
from memorykit_app.mcp import server
from memorykit_app.mcp.binding import Binding

PATH: Final = "/v1/projects/{project}/mcp"
RUN_HEADER: Final = "Memorykit-Run-Id"
USER_HEADER: Final = "Memorykit-User-Id"
_STATE = "memorykit_binding"
_MOST_BYTES = 256 * 1_024
_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def application() -> Starlette:
    """Return the ASGI application: stateless, one JSON answer for each request."""
    manager = StreamableHTTPSessionManager(
        app=server.make(_binding_of),
        stateless=True,
        json_response=True,
        security_settings=_security(),
        max_request_body_size=_MOST_BYTES,
    )
    return Starlette(
        routes=[Route(PATH, endpoint=Gate(manager.asgi_app))],
        lifespan=lambda _app: manager.run(),
    )


class BrowserRefused(AccessDenied):
    """A page in a browser is no client: it could come from any site."""

    def __init__(self) -> None:
        super().__init__("read")


class Gate:
    """Lets a request in whose key is valid and opens the project of the path."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        request_id = str(uuid4())
        try:
            binding = _binding(request, request_id)
            await to_thread.run_sync(lambda: _admit(binding))
        except Exception as error:  # noqa: BLE001 - nothing may leave but a problem
            await _problem(error, request_id)(scope, receive, send)
            return
        request.scope[_STATE] = binding
        await self._inner(scope, receive, send)


def _binding(request: Request, request_id: str) -> Binding:
    if "Origin" in request.headers:
        raise BrowserRefused
    shape = BEARER.fullmatch(request.headers.get("Authorization", ""))
    if shape is None:
        raise Unauthenticated
    return Binding(
        token=shape.group(1),
        project=request.path_params["project"],
        run_id=request.headers.get(RUN_HEADER, f"mcp:{request_id}"),
        user_id=request.headers.get(USER_HEADER, "mcp"),
    )


def _admit(binding: Binding) -> None:
    # The call inside is what is counted.
    close_old_connections()
    try:
        binding.run(Capability.READ, counted=False)
    finally:
        close_old_connections()


def _binding_of(context: ServerRequestContext[Any, Any]) -> Binding:
    assert context.request is not None
    binding = context.request.scope[_STATE]
    assert isinstance(binding, Binding)
    return binding


def _problem(error: Exception, request_id: str) -> Response:
    problem, headers = problems.told(error, request_id)
    return Response(
        json.dumps(problem.model_dump(exclude_none=True)),
        status_code=problem.status,
        media_type=problems.MEDIA_TYPE,
        headers=headers | {"Cache-Control": "no-store"},
    )


def _security() -> TransportSecuritySettings:
    """Allow the hosts that Django's own setting has."""
    hosts = [*settings.ALLOWED_HOSTS]
    if "*" in hosts:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    known = [host.removeprefix(".") for host in (*hosts, *_LOCAL)]
    return TransportSecuritySettings(
        allowed_hosts=[form for host in known for form in (host, f"{host}:*")]
    )
