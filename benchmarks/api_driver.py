"""Drives the load: each plan in a process of its own, with a host key for each client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.api_load import Load
from memorykit_app import backends
from memorykit_app.domain.actors import Capability
from memorykit_app.domain.scope import Scope
from memorykit_app.services import host_keys

ROOT = Path(__file__).resolve().parents[1]
SCOPE = Scope.project("bench", "project-0")
CLIENTS = 8


class Driver:
    """Runs plans of load against one server, with a host key for each client."""

    def __init__(self, url: str, seconds: float) -> None:
        self.seconds = seconds
        needs = (Capability.READ, Capability.WRITE_EXPLICIT)
        self._plan = {
            "url": f"{url}/v1/projects/{SCOPE.subject_id}",
            "clients": CLIENTS,
            "loop": "closed",
            "keys": [_key(number, needs) for number in range(CLIENTS)],
        }

    def run(self, name: str, calls: Sequence[tuple[str, str, Any]], **changes: Any) -> Load:
        plan = self._plan | {"name": name, "calls": calls, "seconds": self.seconds} | changes
        said = process("benchmarks.api_load", json.dumps(plan).encode())
        return Load(**said)


def _key(number: int, needs: Sequence[Capability]) -> str:
    _, secret = host_keys.create(
        name=f"client {number}",
        tenant_id=SCOPE.tenant_id,
        projects=[SCOPE.subject_id],
        capabilities=needs,
        now=backends.clock().now(),
    )
    return secret


def process(module: str, given: bytes) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", module], input=given, cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)
