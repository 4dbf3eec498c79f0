"""The example host as a process of its own: an agent with memory in somebody else's project."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from memorykit_app.domain.actors import Capability
from memorykit_app.models import Memory, sealed
from tests.hosting import mint
from tests.records import OTHER, SCOPE, active, memory
from tests.workers import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
CLAIM = "I saved it."
READ, WRITE = Capability.READ, Capability.WRITE_EXPLICIT
ASKED = {
    "project_id": SCOPE.subject_id,
    "user_id": "u-1",
    "input": "remember",
    "memory_write_intent": True,
}


@contextmanager
def host_process(environment, log):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        command = [
            *(sys.executable, "-m", "gunicorn", "django.core.wsgi:get_wsgi_application()"),
            *("--bind", f"fd://{listener.fileno()}", "--no-control-socket", "--threads", "4"),
        ]
        with log.open("ab") as out:
            process = subprocess.Popen(
                command,
                cwd=ROOT / "docs",
                env=environment
                | {
                    "DJANGO_SETTINGS_MODULE": "example_host.settings",
                    "PYTHONPATH": os.pathsep.join((str(ROOT / "docs"), str(ROOT))),
                    "EXAMPLE_MODEL": "tests.scripted_model.answer",
                },
                stdout=out,
                stderr=out,
                pass_fds=(listener.fileno(),),
            )
    try:
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture
def ask(process_environment, tmp_path):
    log = tmp_path / "host.log"
    with host_process(process_environment, log) as (url, process):

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            try:
                return httpx2.get(f"{url}/workflows", timeout=5).status_code == 405
            except httpx2.TransportError:
                return False

        wait_for(answers)

        def call(secret, body=None, **changes):
            return httpx2.post(
                f"{url}/workflows",
                content=json.dumps(ASKED | changes) if body is None else body,
                headers={"Authorization": f"Bearer {secret}"},
                timeout=30,
            )

        call.url = url
        yield call


def stored(scope=SCOPE) -> list[str]:
    with sealed(scope):
        return list(Memory.objects.in_scope(scope).values_list("state", flat=True))


def test_an_agent_run_with_memory(ask):
    secret = mint(READ, WRITE)[1]
    active("The office is on fire.", key="fire", scope=OTHER)
    memory("The office is a candidate.", key="hidden")

    saved = ask(secret)
    found = ask(secret, input="search", memory_write_intent=False)
    prompt = json.loads(ask(secret, input="prompt").json()["artifact"])
    read_only = json.loads(
        ask(secret, input="prompt", memory_write_intent=False).json()["artifact"]
    )

    assert (saved.status_code, saved.json()["artifact"]) == (200, CLAIM)
    assert [row["key"] for row in json.loads(found.json()["artifact"])] == ["office.city"]
    assert prompt["messages"][0]["role"] == "system"
    assert "remember_project_memory" in prompt["tools"]
    assert "remember_project_memory" not in read_only["tools"]
    assert "fire" not in found.text
    assert "hidden" not in found.text


@pytest.mark.parametrize("script", ["fail", "garble", "retry"])
def test_a_model_that_claims_success_after_a_failed_write_gives_no_artifact(ask, script):
    answer = ask(mint(READ, WRITE)[1], input=script)

    assert (answer.status_code, answer.json()["code"]) == (500, "memory_write_failed")
    assert "artifact" not in answer.json()
    assert CLAIM not in answer.text
    assert stored() == (["active"] if script == "retry" else [])


def test_nothing_that_a_caller_or_model_says_widens_the_scope(ask):
    secret = mint(READ, WRITE)[1]
    active("The office is foreign.", key="office.other", scope=OTHER)

    for change in ({"tenant_id": "rival"}, {"subject_type": "user"}, {"subject_id": "blue"}):
        answer = ask(secret, **change)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_json")
    assert ask(secret, body=b'{"input": "remember"}').status_code == 400
    assert ask(secret, project_id=OTHER.subject_id).status_code == 403
    assert ask("mk_nobody").status_code == 401
    assert ask(mint(READ)[1]).status_code == 403
    assert ask(mint(WRITE)[1]).status_code == 403
    assert ask(secret, user_id="a name").status_code == 400
    assert ask(secret, input="widen").json()["artifact"] == "invalid_json"
    assert stored() == []
    assert stored(OTHER) == ["active"]


def test_a_model_that_never_ends_is_ended_and_the_api_is_there_as_well(ask):
    secret = mint(READ)[1]

    answer = ask(secret, input="forever", memory_write_intent=False)
    recalled = httpx2.post(
        f"{ask.url}/v1/projects/{SCOPE.subject_id}/recall",
        json={"query": "office"},
        headers={"Authorization": f"Bearer {secret}"},
    )

    assert (answer.status_code, answer.json()["code"]) == (500, "run_failed")
    assert recalled.status_code == 200
