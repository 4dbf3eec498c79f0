"""Settings under different environments, each in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from project.services import places

PRINT = "import json, {module} as s; print(json.dumps({expression}, default=str))"
PRODUCTION = {
    "SECRET_KEY": "0123456789" * 6,
    "MEMORYKIT_FINGERPRINT_KEY": "f" * 40,
    "ALLOWED_HOSTS": "memorykit.example",
    "DATABASE_URL": "postgresql://u:p%40ss@db.example:5433/m",
    "REDIS_URL": "redis://:secret@redis.example:6380/2",
}


def load(expression, module="project.settings", **environ):
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", PRINT.format(module=module, expression=expression)],
        env={**kept, **environ},
        cwd=places.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


@pytest.fixture
def development(tmp_path):
    return {places.SETTING: str(tmp_path / "data"), "SECRET_KEY": "x", **FINGERPRINT}


FINGERPRINT = {"MEMORYKIT_FINGERPRINT_KEY": "f" * 40}


def test_urls_become_connections():
    database = load("s.DATABASES['default']", **PRODUCTION)
    queue = load("s.RQ_QUEUES['memorykit']", **PRODUCTION)

    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == (
        "db.example",
        5433,
        "p@ss",
    )
    assert (queue["HOST"], queue["PORT"], queue["DB"], queue["PASSWORD"]) == (
        "redis.example",
        6380,
        2,
        "secret",
    )
    assert queue["SERIALIZER"] == "rq.serializers.JSONSerializer"


def test_only_the_web_process_has_a_pool():
    plain = load("s.DATABASES['default']", **PRODUCTION)
    pooled = load("s.DATABASES['default']", DATABASE_POOL="1", **PRODUCTION)

    assert "pool" not in plain["OPTIONS"]
    assert pooled["OPTIONS"]["pool"]["timeout"] == 2
    assert pooled["CONN_MAX_AGE"] == 0


def test_settings_load_without_servers(development):
    assert load("s.DATABASES['default']['ENGINE']", **development) == "project.stopped_database"


def test_the_model_runs_on_one_thread(development):
    threads = load("__import__('os').environ['OMP_NUM_THREADS']", **development)

    assert threads == "1"


def test_remote_parts_are_named_by_the_environment(development):
    remote = {
        "MEMORYKIT_EXTRACTOR_URL": "http://models.example/v1",
        "MEMORYKIT_EXTRACTOR_MODEL": "chat",
        "MEMORYKIT_EMBEDDER_URL": "http://models.example/v1",
        "MEMORYKIT_EMBEDDER_MODEL": "embed",
        "MEMORYKIT_EMBEDDER_DIMENSION": "512",
    }

    found = load("s.MEMORYKIT", **development, **remote)
    offline = load("s.MEMORYKIT", **development)

    assert found["EXTRACTOR"]["OPTIONS"]["model"] == "chat"
    assert found["SERVING_PROFILE"] == "remote"
    assert found["EMBEDDERS"]["remote"]["OPTIONS"]["dimension"] == 512
    assert offline["SERVING_PROFILE"] == "e5-small-q4"
    assert offline["EXTRACTOR"] == {"BACKEND": "memorykit_app.backends.rules.RuleExtractor"}


@pytest.mark.parametrize("missing", sorted(PRODUCTION))
def test_production_has_no_default_for(missing, tmp_path):
    given = {key: value for key, value in PRODUCTION.items() if key != missing}
    given[places.SETTING] = str(tmp_path)

    assert f"Set {missing} in the environment" in load("1", "project.settings_production", **given)


def test_production_refuses_debug():
    assert "unset it" in load("1", "project.settings_production", DEBUG="1", **PRODUCTION)


def test_production_trusts_the_proxy_it_was_told_of():
    name = "s.SECURE_PROXY_SSL_HEADER"
    module = "project.settings_production"

    assert load(name, module, **PRODUCTION) is None
    assert load(name, module, PROXY_COUNT="1", **PRODUCTION)[1] == "https"
