"""Asking in tests: records that are embedded, and questions about them."""

from __future__ import annotations

from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.test import override_settings

from memorykit_app.domain.actors import Principal
from memorykit_app.recall.query import RecallQuery
from memorykit_app.recall.result import RecallResult
from memorykit_app.recall.search import recall
from memorykit_app.services import drain
from tests.records import NOW, SCOPE, active

READER = Principal.operator("reader")
PATIENCE_MS = 60_000


def known(*contents: str, **changes):
    """Make active, embedded records with keys of their own; return them in order."""
    records = [
        active(content, **({"key": f"note.{number}"} | changes))
        for number, content in enumerate(contents)
    ]
    drain.drain()
    return records


def ask(
    text: str = "", *, scope=SCOPE, by=READER, now=NOW, explain=False, always_on=False, **wishes
) -> RecallResult:
    return recall(
        RecallQuery(text=text, **wishes),
        scope=scope,
        by=by,
        now=now,
        explain=explain,
        always_on=always_on,
    )


def contents(result: RecallResult) -> list[str]:
    return [item.content for item in result.items]


def ids(result: RecallResult) -> list[UUID]:
    return [item.memory_id for item in result.items]


@contextmanager
def policy(preset: str = "balanced-v1", **changes):
    """Recall by a preset with changes, and with time enough on a machine that is busy."""
    fields = {"PRESET": preset, "VERSION": "test-1", "DEADLINE_MS": PATIENCE_MS, **changes}
    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"RECALL_POLICY": fields}):
        yield
