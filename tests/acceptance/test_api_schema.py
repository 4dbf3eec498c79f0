"""The API's description, as checked in."""

from __future__ import annotations

import json
from pathlib import Path

from memorykit_app.api.service import api

FILE = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"


def test_the_checked_in_description_is_the_one_that_is_served():
    described = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/v1/")))

    assert json.loads(FILE.read_text(encoding="utf-8")) == described, "run `make openapi`"


def test_no_route_takes_a_scope():
    text = FILE.read_text(encoding="utf-8")

    assert "tenant" not in text
    assert "scope_id" not in text
