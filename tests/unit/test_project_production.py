"""The project behind HTTPS: what it redirects, trusts, refuses and promises; no server needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from project.services import places
from tests.unit.test_project_settings import PRODUCTION

API = "/v1/projects/orchard/memories"
SCRIPT = """
import json, sys, django
django.setup()
from django.test import Client
asked = json.loads(sys.argv[1])
answer = Client(headers=asked["headers"]).get(asked["path"])
print(json.dumps({"status": answer.status_code, **answer.headers}))
"""


def ask(path, *, environ=None, **headers):
    """Return status and headers of one GET under the production settings."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    given = {**kept, **PRODUCTION, "PROXY_COUNT": "1", **(environ or {})}
    asked = {"path": path, "headers": {"Host": "memorykit.example", **headers}}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(asked)],
        env=given | {"DJANGO_SETTINGS_MODULE": "project.settings_production"},
        cwd=places.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


HTTPS = {"X-Forwarded-Proto": "https"}


@pytest.mark.parametrize("path", ["/admin/", API])
def test_what_comes_without_https_is_sent_there(path):
    answer = ask(path)

    assert (answer["status"], answer["Location"]) == (301, f"https://memorykit.example{path}")


def test_a_proxy_that_nobody_named_cannot_vouch_for_https():
    assert ask(API, environ={"PROXY_COUNT": "0"}, **HTTPS)["status"] == 301


def test_over_https_the_browser_is_told_to_stay_there():
    answer = ask(API, **HTTPS)

    assert answer["status"] == 401
    assert answer["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"


def test_a_host_by_another_name_is_refused():
    assert ask("/admin/", Host="elsewhere.example", **HTTPS)["status"] == 400


def test_a_probe_from_inside_needs_no_https():
    assert ask("/healthz")["status"] == 200


def test_django_itself_has_nothing_against_these_settings():
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--tag", "security",
         "--fail-level", "WARNING"],
        env={**kept, **PRODUCTION, "DJANGO_SETTINGS_MODULE": "project.settings_production"},
        cwd=places.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
