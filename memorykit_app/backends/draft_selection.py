"""Selection: one draft for what several windows found, at most so many, in transcript order."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import replace

from memorykit_app.backends.rules import FLAG_CHANGED
from memorykit_app.domain.drafts import ExtractedDraft

_NO_WORD = re.compile(r"[\W_]+")


def selected(found: Iterable[ExtractedDraft], *, limit: int) -> list[ExtractedDraft]:
    """Return the drafts in transcript order; the weightiest `limit` when there are more.

    Drafts of one kind that say the same, or rest on the same words under the same key, are
    one: the surest. A draft that a later one of its kind and key replaces is flagged.
    """
    drafts = _later_flagged(sorted(_once(found), key=lambda draft: draft.message_index))
    weight = sorted(
        range(len(drafts)), key=lambda i: (-drafts[i].importance * drafts[i].confidence, -i)
    )
    return [drafts[i] for i in sorted(weight[: max(limit, 0)])]


def _once(found: Iterable[ExtractedDraft]) -> list[ExtractedDraft]:
    kept: list[ExtractedDraft] = []
    places: dict[Hashable, int] = {}
    for draft in found:
        marks = _marks(draft)
        place = next((places[mark] for mark in marks if mark in places), len(kept))
        if place == len(kept):
            kept.append(draft)
        elif draft.confidence > kept[place].confidence:
            kept[place] = draft
        for mark in marks:
            places.setdefault(mark, place)
    return kept


def _marks(draft: ExtractedDraft) -> tuple[Hashable, Hashable]:
    words = _NO_WORD.sub(" ", draft.content.casefold()).strip() or draft.content
    return (
        (draft.kind, words),
        (draft.kind, draft.key.casefold(), draft.message_index, draft.quote),
    )


def _later_flagged(drafts: list[ExtractedDraft]) -> list[ExtractedDraft]:
    last = {(draft.kind, draft.key): number for number, draft in enumerate(drafts)}
    return [
        draft
        if last[draft.kind, draft.key] == number
        else replace(draft, flags=(*draft.flags, FLAG_CHANGED))
        for number, draft in enumerate(drafts)
    ]
