"""`POST /workflows`: one run of the agent, for a host that shows a key of the project."""

from __future__ import annotations

import os
import re
import uuid
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from example_host import agent
from memorykit_app.domain import strict_json
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import AccessDenied, InvalidMemory, MemorykitError, Unavailable
from memorykit_app.domain.scope import Scope
from memorykit_app.services import host_keys
from memorykit_app.tools import AgentRun

_MOST_BYTES = 64 * 1_024
_BEARER = re.compile(r"Bearer ([\x21-\x7e]{1,200})")
_FIELDS = {"project_id": str, "user_id": str, "input": str, "memory_write_intent": bool}


@csrf_exempt  # Bearer keys only: no cookie is read.
@require_POST
def workflows(request: HttpRequest) -> JsonResponse:
    """Answer with the artifact, or with a code and no artifact."""
    key = _key(request)
    if key is None:
        refusal = _refused("", 401, "unauthorized")
        refusal["WWW-Authenticate"] = "Bearer"
        return refusal
    run_id = f"run-{uuid.uuid4()}"
    try:
        asked = _asked(request)
        if asked["project_id"] not in key.projects:
            raise AccessDenied("read")
        host = host_keys.principal_of(key)
        if Capability.READ not in host.capabilities:
            raise AccessDenied("read")
        run = AgentRun(
            # The key names the tenant, and nothing in a body can.
            scope=Scope.project(key.tenant_id, asked["project_id"]),
            by=host,
            run_id=run_id,
            user_id=asked["user_id"],
            write_intent=asked["memory_write_intent"],
        )
        artifact = agent.answer(asked["input"], run, _model())
    except strict_json.InvalidJson as error:
        return _refused(run_id, 400, error.code)
    except InvalidMemory as error:
        return _refused(run_id, 400, error.code)
    except AccessDenied as error:
        return _refused(run_id, 403, error.code)
    except Unavailable as error:
        return _refused(run_id, 503, error.code)
    except MemorykitError as error:
        return _refused(run_id, 500, error.code)
    except agent.RunFailed:
        return _refused(run_id, 500, "run_failed")
    return JsonResponse({"run_id": run_id, "artifact": artifact})


def _model() -> agent.Model:
    """Return the callable that the environment names by its dotted path."""
    model: agent.Model = import_string(os.environ["EXAMPLE_MODEL"])
    return model


def _key(request: HttpRequest) -> Any:
    shape = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    return host_keys.authenticate(shape.group(1), now=datetime.now(UTC)) if shape else None


def _asked(request: HttpRequest) -> dict[str, Any]:
    """Return the body: these fields and no others, so that none can name another scope."""
    asked = strict_json.loads(request.body, max_bytes=_MOST_BYTES)
    if not isinstance(asked, dict) or set(asked) != set(_FIELDS):
        raise strict_json.InvalidJson("", f"must be an object of {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        if type(asked[name]) is not kind:
            raise strict_json.InvalidJson(name, "is of another type")
    return asked


def _refused(run_id: str, status: int, code: str) -> JsonResponse:
    return JsonResponse({"run_id": run_id, "code": code}, status=status)
