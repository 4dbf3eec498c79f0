"""Flags: what the extractor and the content check met, as a word and what it means."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memorykit_app.admin.words import Word, of
from memorykit_app.backends.validator_catalogue import RULES

#: These ask for a second look; every other flag warns of a trap.
MILD = ("changed_later", "hedged", "near_limit", "undated")
FLAGS: dict[str, tuple[Word, Word]] = {
    "quote_not_found": (
        gettext_lazy("quote not found"),
        gettext_lazy(
            "The quoted words do not stand in the message that they are said to come from."
        ),
    ),
    "outside_text": (
        gettext_lazy("from outside"),
        gettext_lazy("The source is a tool result or a document, not something a person said."),
    ),
    "hedged": (gettext_lazy("hedged"), gettext_lazy("The speaker was not sure.")),
    "undated": (
        gettext_lazy("undated"),
        gettext_lazy("It speaks of a time that could not be worked out."),
    ),
    "changed_later": (
        gettext_lazy("changed later"),
        gettext_lazy("The same conversation says something else about this further down."),
    ),
    "private_use": (
        gettext_lazy("private characters"),
        gettext_lazy("Private characters, which look different on each machine."),
    ),
    "direction_mark": (
        gettext_lazy("direction mark"),
        gettext_lazy("A direction mark in text that has no right-to-left letters."),
    ),
    "mixed_script": (
        gettext_lazy("mixed script"),
        gettext_lazy("Look-alike letters of two alphabets in one word."),
    ),
    "instruction_mention": (
        gettext_lazy("mentions an attack"),
        gettext_lazy("Mentions an attack phrase, quoted or told of others."),
    ),
    "sign_override": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Says to drop earlier rules or orders."),
    ),
    "sign_safety": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Says that safety rules are off."),
    ),
    "sign_authority": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Claims a special mode or special rights."),
    ),
    "sign_hiding": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Asks to keep something from people."),
    ),
    "sign_sending": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Asks to send notes or data to an address."),
    ),
    "sign_letter": (
        gettext_lazy("instruction-like"),
        gettext_lazy("A message to the model that reads the note."),
    ),
    "sign_renewal": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Asks to be stored again and again."),
    ),
    "sign_action": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Ties a harmful action to what a user says."),
    ),
    "sign_voice": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Speaks in the voice of the system."),
    ),
    "sign_imitation": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Asks to repeat what was done before, each time."),
    ),
    "sign_addressed": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Speaks to the model that reads it."),
    ),
    "sign_guard": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Says that a check, approval or alert is skipped."),
    ),
    "sign_standing": (
        gettext_lazy("instruction-like"),
        gettext_lazy("Wants to hold in every conversation to come."),
    ),
    "beacon": (
        gettext_lazy("image with data"),
        gettext_lazy("An image whose address has room for data."),
    ),
    "role_marker": (
        gettext_lazy("role marker"),
        gettext_lazy("Looks like the turn of another role or a chat template."),
    ),
    "fence_marker": (
        gettext_lazy("fence marker"),
        gettext_lazy("Looks like the end of a block of context or memory."),
    ),
    "tool_call": (gettext_lazy("tool call"), gettext_lazy("Looks like a tool call or its result.")),
}


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag in the reader's language; a mild one asks for a second look only."""

    word: str
    meaning: str
    mild: bool


def said(code: str) -> Flag:
    """Return a flag in words; one that nobody described is told by its code."""
    known = FLAGS.get(code)
    if known is not None:
        return Flag(str(known[0]), str(known[1]), code in MILD)
    rule = RULES.get(code)
    meaning = rule.says if rule else _("A rule of the content check met this.")
    return Flag(of({}, code), meaning, code in MILD)
