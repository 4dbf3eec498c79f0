"""Settings of the tests: servers of their own, quick hashes, no model to load."""

from __future__ import annotations

import os

from project.services import testing

testing.ensure_running()

_worker = os.environ.get("PYTEST_XDIST_WORKER", "")
os.environ["REDIS_URL"] = testing.on_database(
    os.environ["REDIS_URL"],
    testing.redis_database(_worker, given=bool(os.environ.get(testing.GIVEN_REDIS))),
)
os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "x" * 50)
os.environ.setdefault("MEMORYKIT_FINGERPRINT_KEY", "only-for-tests-" + "y" * 50)

from project.settings import *  # noqa: E402, F403

ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# The lock-out refuses the test client's login, which has no request.
AXES_ENABLED = False

PROFILE = "hash-64"
MEMORYKIT = {
    **MEMORYKIT,  # noqa: F405
    "EMBEDDERS": {
        PROFILE: {
            "BACKEND": "memorykit_app.backends.doubles.HashingEmbedder",
            "OPTIONS": {"dimension": 64},
        }
    },
    "SERVING_PROFILE": PROFILE,
}
