"""`python -m project.openapi`: the HTTP API's description, as docs/openapi.json holds it."""

from __future__ import annotations

import json
import os

import django


def description() -> str:
    """Return the OpenAPI description as indented JSON."""
    from memorykit_app.api.service import api

    return json.dumps(api.get_openapi_schema(path_prefix="/v1/"), indent=1, ensure_ascii=False)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    django.setup()
    print(description())
