"""The MEMORYKIT dict: offline parts, or remote ones that the environment names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import environ

LOCAL_PROFILE = "e5-small-q4"
_BACKENDS = "memorykit_app.backends"


def memory_settings(env: environ.Env, keys: Mapping[str, str]) -> dict[str, Any]:
    """Return MEMORYKIT; `keys` holds a development checkout's own.

    Raises ImproperlyConfigured when a remote part is named by half.
    """
    serving, profiles = _embedders(env)
    return {
        "AUTHORIZER": {"BACKEND": "memorykit_app.models.access.GrantAuthorizer"},
        "EMBEDDERS": profiles,
        "SERVING_PROFILE": serving,
        "EXTRACTOR": _extractor(env),
        "RECALL_POLICY": {"PRESET": "balanced-v1"},
        "FINGERPRINT_KEY": env.str("MEMORYKIT_FINGERPRINT_KEY", "") or keys["fingerprint_key"],
    }


def _embedders(env: environ.Env) -> tuple[str, dict[str, Any]]:
    local = {"BACKEND": f"{_BACKENDS}.local.LocalEmbedder", "OPTIONS": {}}
    url = env.str("MEMORYKIT_EMBEDDER_URL", "")
    if not url:
        return LOCAL_PROFILE, {LOCAL_PROFILE: local}
    profile = env.str("MEMORYKIT_EMBEDDER_PROFILE", "remote")
    remote = {
        "BACKEND": f"{_BACKENDS}.openai_embeddings.RemoteEmbedder",
        "OPTIONS": {
            "base_url": url,
            "model": env.str("MEMORYKIT_EMBEDDER_MODEL"),
            "dimension": env.int("MEMORYKIT_EMBEDDER_DIMENSION"),
            "api_key": env.str("MEMORYKIT_EMBEDDER_API_KEY", ""),
        },
    }
    # The local profile stays, so that records embedded with it can be moved over.
    return profile, {profile: remote, LOCAL_PROFILE: local}


def _extractor(env: environ.Env) -> dict[str, Any]:
    url = env.str("MEMORYKIT_EXTRACTOR_URL", "")
    if not url:
        return {"BACKEND": f"{_BACKENDS}.rules.RuleExtractor"}
    return {
        "BACKEND": f"{_BACKENDS}.openai_chat.ChatExtractor",
        "OPTIONS": {
            "base_url": url,
            "model": env.str("MEMORYKIT_EXTRACTOR_MODEL"),
            "api_key": env.str("MEMORYKIT_EXTRACTOR_API_KEY", ""),
        },
    }
