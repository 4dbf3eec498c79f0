"""Callers: who asks, proven by a host key, and the one scope that the route opens to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest
from ninja.security.http import HttpAuthBase

from memorykit_app import backends
from memorykit_app.api import rate
from memorykit_app.api.refusals import CapabilityMissing, ProjectNotBound, Unauthenticated
from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.scope import Scope
from memorykit_app.services import faults, host_keys

# Only a name that reads like one may stand in an answer: any other could be content.
_PLAIN_NAME = re.compile(r"[a-z_]{1,32}")
BEARER = re.compile(r"bearer +([\x21-\x7e]{1,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A proven host and what it may touch. The scope has no other origin."""

    by: Principal
    scope: Scope


class BearerKey(HttpAuthBase):
    """Lets a request in whose key is valid, bound to the project and capable.

    `needs` is the capability, `query` the names of the query parameters that the route reads.
    """

    openapi_scheme = "bearer"
    openapi_description = "A host key: memorykit_hostkey create prints it once."

    def __init__(self, needs: Capability, query: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.needs = needs
        self.query = query

    def __call__(self, request: HttpRequest) -> Caller:
        """Return the caller.

        Raises Unauthenticated, TooManyCalls, ProjectNotBound, CapabilityMissing, InvalidMemory
        for a query parameter that is unknown or given twice, or Unavailable.
        """
        shape = BEARER.fullmatch(request.headers.get("Authorization", ""))
        if shape is None:
            raise Unauthenticated
        caller = admitted(shape.group(1), _project_of(request), self.needs)
        self._check_query(request)
        return caller

    def _check_query(self, request: HttpRequest) -> None:
        for name, values in request.GET.lists():
            if name not in self.query:
                shown = name if _PLAIN_NAME.fullmatch(name) else "parameter"
                known = ", ".join(sorted(self.query)) or "none"
                raise InvalidMemory(shown, f"is unknown; known here: {known}")
            if len(values) != 1:
                raise InvalidMemory(name, "must be given once")


def admitted(token: str, project: str, needs: Capability, *, counted: bool = True) -> Caller:
    """Return the caller whose key this is, when it opens the project and may do what it needs.

    `counted` takes the call out of the key's bucket. Raises Unauthenticated, TooManyCalls,
    ProjectNotBound, CapabilityMissing or Unavailable.
    """
    with faults.translated():
        key = host_keys.authenticate(token, now=backends.clock().now())
    if key is None:
        raise Unauthenticated
    if counted:
        rate.take(key.prefix, reads=needs is Capability.READ)
    if project not in key.projects:
        raise ProjectNotBound
    by = host_keys.principal_of(key)
    if needs not in by.capabilities:
        raise CapabilityMissing(needs.value)
    return Caller(by=by, scope=Scope.project(key.tenant_id, project))


def caller_of(request: HttpRequest) -> Caller:
    """Return who asks; every route has let one in."""
    return cast("Caller", request.auth)  # type: ignore[attr-defined]


def _project_of(request: HttpRequest) -> str:
    match = request.resolver_match
    assert match is not None
    return str(match.kwargs["project"])
