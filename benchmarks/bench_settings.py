"""Settings of the benchmarks: throw-away servers, vectors kept between runs."""

from __future__ import annotations

import os

from project.services import testing

testing.ensure_running()
os.environ.setdefault("SECRET_KEY", "only-for-benchmarks-" + "x" * 50)
os.environ.setdefault("MEMORYKIT_FINGERPRINT_KEY", "only-for-benchmarks-" + "y" * 50)
os.environ["LOG_LEVEL"] = "ERROR"

from project.settings import *  # noqa: E402, F403

PROFILE = "e5-small-q4"
MEMORYKIT = {
    **MEMORYKIT,  # noqa: F405
    "EMBEDDERS": {PROFILE: {"BACKEND": "benchmarks.cached_embedder.CachedEmbedder"}},
    "SERVING_PROFILE": PROFILE,
}
