"""Settings of a process that asks for vectors and nothing else."""

from __future__ import annotations

SECRET_KEY = "not-secret"
USE_TZ = True
MEMORYKIT = {
    "AUTHORIZER": {"BACKEND": "memorykit_app.backends.builtin.DenyAll"},
    "EMBEDDERS": {"hashing": {"BACKEND": "memorykit_app.backends.doubles.HashingEmbedder"}},
    "SERVING_PROFILE": "hashing",
    "EXTRACTOR": {"BACKEND": "memorykit_app.backends.rules.RuleExtractor"},
    "RECALL_POLICY": {},
    "FINGERPRINT_KEY": "k" * 32,
}
