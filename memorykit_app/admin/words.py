"""Words: what people read for the codes of the domain."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

Word = str | Promise

KINDS: dict[str, Word] = {
    "fact": gettext_lazy("Fact"),
    "decision": gettext_lazy("Decision"),
    "constraint": gettext_lazy("Constraint"),
    "lesson": gettext_lazy("Lesson"),
}
STATES: dict[str, Word] = {
    "candidate": gettext_lazy("Candidate"),
    "active": gettext_lazy("Active"),
    "inactive": gettext_lazy("Inactive"),
    "erased": gettext_lazy("Erased"),
}
VERBS: dict[str, Word] = {
    "activate": gettext_lazy("Activate"),
    "correct": gettext_lazy("Correct"),
    "dismiss": gettext_lazy("Dismiss"),
    "forget": gettext_lazy("Forget"),
    "restore": gettext_lazy("Restore"),
    "revert": gettext_lazy("Undo activation"),
    "erase": gettext_lazy("Erase"),
    "hold": gettext_lazy("Hold"),
    "release": gettext_lazy("Release hold"),
    "pin": gettext_lazy("Pin"),
    "unpin": gettext_lazy("Unpin"),
}
DONE: dict[str, Word] = {
    "create": gettext_lazy("Created"),
    "activate": gettext_lazy("Activated"),
    "correct": gettext_lazy("Corrected"),
    "dismiss": gettext_lazy("Dismissed"),
    "supersede": gettext_lazy("Superseded"),
    "forget": gettext_lazy("Forgotten"),
    "expire": gettext_lazy("Expired"),
    "restore": gettext_lazy("Restored"),
    "revert": gettext_lazy("Activation undone"),
    "erase": gettext_lazy("Erased"),
    "hold": gettext_lazy("Hold placed"),
    "release": gettext_lazy("Hold released"),
    "pin": gettext_lazy("Pinned"),
    "unpin": gettext_lazy("Unpinned"),
}
REASONS: dict[str, Word] = {
    "not_in_source": gettext_lazy("Not stated in source"),
    "one_off": gettext_lazy("One-off, not durable"),
    "outdated": gettext_lazy("Outdated"),
    "duplicate": gettext_lazy("Duplicate"),
    "wrong_scope": gettext_lazy("Wrong scope"),
    "sensitive": gettext_lazy("Sensitive"),
    "instruction": gettext_lazy("Looks like an instruction"),
    "unclear": gettext_lazy("Unclear"),
    "other": gettext_lazy("Other"),
    "model_derived": gettext_lazy("Derived by a model"),
    "candidate_ttl": gettext_lazy("Nobody decided in time"),
}
PROVENANCE: dict[str, Word] = {
    "user_requested": gettext_lazy("A user asked for it"),
    "agent_extracted": gettext_lazy("Extracted from a transcript"),
    "system_generated": gettext_lazy("Made by the system"),
    "operator_curated": gettext_lazy("Written by an operator"),
}
CHANNELS: dict[str, Word] = {
    "exact": gettext_lazy("Key"),
    "full_text": gettext_lazy("Words"),
    "vector": gettext_lazy("Meaning"),
}
OUTCOMES: dict[str, Word] = {
    "kept": gettext_lazy("served"),
    "items": gettext_lazy("others were better"),
    "tokens": gettext_lazy("did not fit the budget"),
    "duplicate": gettext_lazy("a better one says the same"),
    "floor": gettext_lazy("below the floor"),
}
STORES: dict[str, Word] = {
    "memory": gettext_lazy("The record itself"),
    "source": gettext_lazy("Sources and quotes"),
    "revision": gettext_lazy("Texts in its history"),
    "term": gettext_lazy("Search terms"),
    "embedding": gettext_lazy("Vectors"),
    "transcript": gettext_lazy("Transcripts that it came from"),
    "job": gettext_lazy("Waiting jobs"),
}


def of(table: dict[str, Word], code: str) -> str:
    """Return the word for a code, or the code in plain letters when it has none."""
    return str(table.get(code) or code.replace("_", " ").replace(".", " "))
