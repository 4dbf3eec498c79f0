"""The rule extractor: deterministic, without a model, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memorykit_app.backends import (
    rules_chinese,
    rules_dates,
    rules_english,
    rules_guards,
    rules_secrets,
    rules_voice,
)
from memorykit_app.backends.base import Extractor
from memorykit_app.backends.rules_repeats import Gist
from memorykit_app.backends.rules_statement import UNSURE, Statement
from memorykit_app.backends.rules_text import Sentence, is_data, sentences
from memorykit_app.domain.drafts import ExtractedDraft
from memorykit_app.domain.messages import Message
from memorykit_app.domain.states import Kind

FLAG_OUTSIDE = "outside_text"
FLAG_HEDGED = "hedged"
FLAG_CHANGED = "changed_later"
FLAG_UNDATED = "undated"
# Instructions to the model by its host: rules of one run, not things to remember.
_HOST_ROLES = frozenset({"system", "developer"})
_OUTSIDE_KINDS = frozenset({Kind.FACT, Kind.CONSTRAINT, Kind.LESSON})
# What an assistant or a page says of itself.
_OF_ITSELF = re.compile(r"\b(?:I|my|me)\b|我(?!们)")
# A repeat adds nothing: one more word may be the new value of a changed fact.
_REPEATED, _WITHDRAWN = 0.95, 0.7
# Each draft is compared with this many before it and withdrawn statements, so that a long
# transcript takes linear time.
_COMPARED = 200


class RuleExtractor(Extractor):
    """Drafts decisions, constraints, facts, lessons and preferences by rules.

    Reads what people say, then the assistant, then tool results (flagged `outside_text`).
    Leaves out questions, jokes, thoughts, secrets, quoted speech, orders to a model, memory
    views inserted earlier, and what someone asks not to keep.
    """

    id = "rules-v1"

    def extract(
        self, messages: Sequence[Message], *, now: datetime, limit: int
    ) -> list[ExtractedDraft]:
        """Return at most `limit` drafts in transcript order; the weightiest when more."""
        heard = _Transcript(messages)
        drafts = _without_repeats(heard.drafts(now), heard.withdrawn())
        weight = sorted(
            range(len(drafts)),
            key=lambda i: (-drafts[i].importance * drafts[i].confidence, -i),
        )
        return [drafts[i] for i in sorted(weight[: max(limit, 0)])]


class _Transcript:
    """The sentences of each message, and which of them are taken back."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.said = [[] if m.role in _HOST_ROLES else sentences(m.text) for m in messages]
        self._out: list[set[int]] = [rules_guards.unmeant(said) for said in self.said]
        self._private: list[set[int]] = [set() for _ in messages]
        for position in range(len(messages)):
            self._take_back(position)

    def drafts(self, now: datetime) -> Iterator[ExtractedDraft]:
        told_at: datetime | None = None
        for position, message in enumerate(self.messages):
            told_at = message.created_at or told_at
            for number, sentence in enumerate(self.said[position]):
                if number in self._out[position] or not _is_statement(sentence, message):
                    continue
                rules = rules_chinese if sentence.chinese else rules_english
                for statement in rules.statements(sentence.plain):
                    if draft := _draft(statement, sentence, message, told_at, now):
                        yield draft

    def withdrawn(self) -> list[Gist]:
        """Return the gist of what someone asked not to keep."""
        found = (
            Gist.of(self.said[position][number].text)
            for position, numbers in enumerate(self._private)
            for number in sorted(numbers)
        )
        telling = dict.fromkeys(gist for gist in found if len(gist.words) > 2)
        return list(telling)[:_COMPARED]

    def _take_back(self, position: int) -> None:
        message, said = self.messages[position], self.said[position]
        if message.outside and any(rules_guards.steers(s.text, outside=True) for s in said):
            self._out[position].update(range(len(said)))
        if message.outside or not said:
            return
        if any(rules_guards.asks_not_to_keep(s.text) for s in said):
            self._private[position].update(range(len(said)))
            alone = len(said) == 1 and rules_guards.only_asks_not_to_keep(said[0].text)
            if alone and (earlier := self._earlier(position)) is not None:
                self._private[earlier].update(range(len(self.said[earlier])))
                self._out[earlier].update(self._private[earlier])
            self._out[position].update(self._private[position])
        if rules_guards.is_joke(said[0].text) and len(said[0].text) < 40:
            if (earlier := self._earlier(position)) is not None:
                count = len(self.said[earlier])
                self._out[earlier].update(range(max(0, count - 2), count))

    def _earlier(self, position: int) -> int | None:
        """Return the speaker's last message, at most three back."""
        message = self.messages[position]
        for earlier in range(position - 1, max(-1, position - 4), -1):
            before = self.messages[earlier]
            if (before.role, before.name) == (message.role, message.name) and self.said[earlier]:
                return earlier
        return None


def _is_statement(sentence: Sentence, message: Message) -> bool:
    if message.outside and is_data(sentence.text):
        return False
    return not (
        sentence.japanese
        or rules_guards.is_question(sentence)
        or rules_guards.is_hypothetical(sentence)
        or rules_secrets.holds_secret(sentence.text)
        or rules_guards.steers(sentence.text, outside=message.outside)
    )


def _draft(
    statement: Statement,
    sentence: Sentence,
    message: Message,
    told_at: datetime | None,
    now: datetime,
) -> ExtractedDraft | None:
    if message.outside and statement.kind not in _OUTSIDE_KINDS:
        return None
    if message.role != "user" and (
        statement.taste or statement.confidence <= UNSURE or _OF_ITSELF.search(statement.words)
    ):
        return None
    forbids = statement.kind is Kind.CONSTRAINT
    words = sentence.text[statement.start : statement.start + len(statement.words)]
    dates = rules_dates.read(words, told_at, forbids=forbids)
    begins = dates.valid_from or told_at or now
    ends = dates.valid_until if dates.valid_until and dates.valid_until > begins else None
    confidence, flags = statement.confidence, []
    if message.outside:
        confidence, flags = confidence * 0.5, [FLAG_OUTSIDE]
    elif message.role == "assistant":
        confidence -= 0.15
    if rules_guards.is_hedged(words):
        confidence, flags = confidence - 0.25, [*flags, FLAG_HEDGED]
    if told_at is None and dates.relative:
        flags.append(FLAG_UNDATED)
    explicit = statement.explicit and message.role == "user"
    return ExtractedDraft(
        kind=statement.kind,
        key=_key(statement, message),
        content=rules_voice.told(
            statement.about + dates.text,
            kind=statement.kind,
            name=message.name if message.role == "user" else "",
            chinese=sentence.chinese,
        ),
        quote=sentence.text,
        message_index=message.index,
        valid_from=begins,
        valid_until=ends,
        importance=min(100, statement.importance + (20 if explicit else 0)),
        confidence=round(min(1.0, max(0.1, confidence + (0.1 if explicit else 0.0))), 2),
        flags=tuple(flags),
    )


def _key(statement: Statement, message: Message) -> str:
    """Return the key; a named person's preference is told apart from another's."""
    if not (statement.taste and message.name):
        return statement.key
    name = "".join(c if c.isalnum() else "-" for c in message.name.lower())[:40].strip("-")
    head, _, rest = statement.key.partition(".")
    return f"{head}.{name}.{rest}" if name else statement.key


def _without_repeats(
    drafts: Iterator[ExtractedDraft], withdrawn: Sequence[Gist]
) -> list[ExtractedDraft]:
    kept: list[ExtractedDraft] = []
    gists: list[Gist] = []
    latest: dict[tuple[Kind, str], int] = {}
    for draft in drafts:
        gist, slot = Gist.of(draft.content), (draft.kind, draft.key)
        if any(gist.overlap(private) >= _WITHDRAWN for private in withdrawn):
            continue
        before = latest.get(slot)
        if before is not None and gist.repeats(gists[before], at_least=_REPEATED):
            continue
        if any(
            kept[i].kind is draft.kind
            and kept[i].key != draft.key
            and gist.repeats(gists[i], at_least=_REPEATED)
            for i in range(max(0, len(kept) - _COMPARED), len(kept))
        ):
            continue
        if before is not None:
            kept[before] = replace(kept[before], flags=(*kept[before].flags, FLAG_CHANGED))
        latest[slot] = len(kept)
        kept.append(draft)
        gists.append(gist)
    return kept
