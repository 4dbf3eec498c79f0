"""Parts that do as a test tells them; each is a real backend, named by dotted path."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import ClassVar

from django.conf import settings
from django.test import override_settings

from memorykit_app.backends.base import Clock, Embedder, Extractor
from memorykit_app.backends.doubles import HashingEmbedder
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.states import Kind
from tests.records import NOW


class ScriptedExtractor(Extractor):
    """Answers what `script` returns; set by `extractor()`."""

    id = "scripted-v1"
    for_tests = True
    script: ClassVar[Callable[..., list[ExtractedDraft]]]

    def extract(self, messages, *, now, limit):
        return type(self).script(messages, now=now, limit=limit)


class SleepyExtractor(Extractor):
    """Takes `seconds` over every transcript and drafts one fact per user turn."""

    id = "sleepy-v1"
    for_tests = True

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def extract(self, messages, *, now, limit):
        time.sleep(self._seconds)
        return [
            ExtractedDraft(
                kind=Kind.FACT,
                key=f"turn.{index}",
                content=message.text,
                quote=message.text,
                message_index=index,
            )
            for index, message in enumerate(messages)
            if message.role == "user"
        ][:limit]


class ScriptedEmbedder(Embedder):
    """Gives the vectors that `script` returns for the texts."""

    for_tests = True
    dimension = 3
    batch_size = 4
    script: ClassVar[Callable[[Sequence[str]], list[list[float]]]]

    def embed_passages(self, texts):
        return type(self).script(texts)

    def embed_query(self, text):
        return type(self).script([text])[0]


class SleepyEmbedder(HashingEmbedder):
    """Takes `seconds` over every text."""

    batch_size = 8

    def __init__(self, seconds: float) -> None:
        super().__init__(dimension=16)
        self._seconds = seconds

    def embed_passages(self, texts):
        time.sleep(self._seconds * len(texts))
        return super().embed_passages(texts)


class RecordsClock(Clock):
    """Stands still at the time of `tests.records`."""

    for_tests = True

    def now(self):
        return NOW


@contextmanager
def extractor(script):
    ScriptedExtractor.script = staticmethod(script)
    parts = {
        "EXTRACTOR": {"BACKEND": "tests.doubles.ScriptedExtractor"},
        "CLOCK": {"BACKEND": "tests.doubles.RecordsClock"},
    }
    with override_settings(MEMORYKIT=settings.MEMORYKIT | parts):
        yield


@contextmanager
def embedder(script, profile="scripted-3"):
    ScriptedEmbedder.script = staticmethod(script)
    parts = {
        "EMBEDDERS": {profile: {"BACKEND": "tests.doubles.ScriptedEmbedder"}},
        "SERVING_PROFILE": profile,
    }
    with override_settings(MEMORYKIT=settings.MEMORYKIT | parts):
        yield
