"""The chat extractor: any service with an OpenAI-compatible `/v1/chat/completions`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memorykit_app import backends
from memorykit_app.backends import draft_selection, openai_answer, openai_prompt
from memorykit_app.backends.base import Extractor
from memorykit_app.backends.openai_answer import Answer, Ending, Reading
from memorykit_app.backends.transcript_windows import Window, halves, windows
from memorykit_app.backends.transport import Endpoint, RefusedRequest
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.errors import BackendError
from memorykit_app.domain.messages import Message

LEAST_WINDOW = 500
_MAX_BYTES = 4 * 1_024 * 1_024
# An answer that was cut asks for less at once: up to eight parts of a window.
_MOST_HALVINGS = 3
# What services answer to a field that they do not know.
_UNKNOWN_FIELD = frozenset({400, 415, 422, 501})

Chat = list[dict[str, str]]


class ChatExtractor(Extractor):
    """Asks a chat model for drafts, one window of the transcript at a time.

    `base_url` is such as `https://host/v1`. `window_tokens` bounds the transcript in one
    request, `timeout_seconds` the request. `options` join the request as they are, such as
    `max_completion_tokens`; by default the temperature is 0. A service that refuses these or
    the JSON schema is asked without them. Raises ValueError for an option that cannot be used.

    The model fails, with BackendError, when it refuses, when its answer is no use even after
    one repair, or when it is cut however small the window. Nothing to remember is no failure.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = "",
        *,
        ca_file: str = "",
        window_tokens: int = 12_000,
        timeout_seconds: float = 120.0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not model.strip():
            raise ValueError("model must name the service's chat model")
        if type(window_tokens) is not int or window_tokens < LEAST_WINDOW:
            raise ValueError(f"window_tokens must be a whole number of at least {LEAST_WINDOW}")
        self.id = f"chat-v1-{re.sub(r'[^a-z0-9.]+', '-', model.lower())[:40].strip('-')}"
        self._model = model
        self._budget = window_tokens
        self._endpoint = Endpoint(
            "extract",
            base_url,
            api_key=api_key,
            ca_file=ca_file,
            timeout_seconds=timeout_seconds,
            max_bytes=_MAX_BYTES,
        )
        schema = {"response_format": openai_prompt.RESPONSE_FORMAT}
        given = {"temperature": 0} if options is None else dict(options)
        self._shapes: list[dict[str, Any]] = [schema | given, schema, given, {}]
        if not given:
            self._shapes = [schema, {}]
        self._shape = 0

    def problems(self) -> list[str]:
        return self._endpoint.problems()

    def extract(
        self, messages: Sequence[Message], *, now: datetime, limit: int
    ) -> list[ExtractedDraft]:
        found: list[ExtractedDraft] = []
        for window in windows(messages, backends.token_counter(), budget=self._budget):
            found += self._drafts(window, now, limit, _MOST_HALVINGS)
        return draft_selection.selected(found, limit=limit)

    def _drafts(
        self, window: Window, now: datetime, limit: int, halvings: int
    ) -> list[ExtractedDraft]:
        chat = openai_prompt.conversation(window, now=now, limit=limit)
        answer = self._ask(chat)
        if answer.ending is Ending.CUT:
            parts = halves(window, backends.token_counter()) if halvings else ()
            if len(parts) < 2:
                raise BackendError("extract", recoverable=False)
            return [d for part in parts for d in self._drafts(part, now, limit, halvings - 1)]
        reading = openai_answer.read(answer.text, window)
        if reading.faults:
            reading = self._repaired(chat, answer, reading, window)
        return list(reading.drafts)

    def _repaired(self, chat: Chat, answer: Answer, first: Reading, window: Window) -> Reading:
        """Return the better of two readings. Raises BackendError when neither is any use."""
        try:
            again = self._ask(chat + openai_prompt.repair(answer.text, first.faults))
        except RefusedRequest:
            # The longer conversation may be too long; the first answer may still do.
            second = Reading((), first.faults)
        else:
            second = openai_answer.read(again.text, window)
        if not second.faults:
            return second
        best = max(second, first, key=lambda reading: len(reading.drafts))
        if not best.drafts:
            raise BackendError("extract", recoverable=True)
        return best

    def _ask(self, chat: Chat) -> Answer:
        """Return the model's answer. Raises BackendError, also when it refuses."""
        answer = openai_answer.answer(self._completion(chat))
        if answer is None or answer.ending is Ending.REFUSED:
            raise BackendError("extract", recoverable=False)
        return answer

    def _completion(self, chat: Chat) -> dict[str, Any]:
        """Ask in the richest shape that the service takes, which is found out once."""
        request = {"model": self._model, "messages": chat}
        number = self._shape
        while True:
            try:
                found = self._endpoint.post("/chat/completions", request | self._shapes[number])
            except RefusedRequest as refusal:
                if refusal.status not in _UNKNOWN_FIELD or number + 1 == len(self._shapes):
                    raise
                number += 1
            else:
                self._shape = number
                return found
