"""Catalogue: every rule of the content validator, how bad it is and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memorykit_app.backends.base import Severity


@dataclass(frozen=True, slots=True)
class Rule:
    severity: Severity
    says: str


def _refuse(says: str) -> Rule:
    return Rule(Severity.REFUSE, says)


def _flag(says: str) -> Rule:
    return Rule(Severity.FLAG, says)


#: Code -> rule, worst first; findings come in this order. Codes are stored as flags and shown to
#: callers, so a code never changes its meaning. docs/validator-rules.md is this table in words.
RULES: Mapping[str, Rule] = {
    # size
    "too_long": _refuse("Longer than the validator reads; shorten the text."),
    # credentials
    "credential_vendor": _refuse("A key in the format of a known service."),
    "credential_private_key": _refuse("A private key block."),
    "credential_url": _refuse("An address that carries a password, key or signature."),
    "credential_header": _refuse("An authorization header or command option with its secret."),
    "credential_labelled": _refuse("A password, key or token given with its name."),
    # characters
    "nul": _refuse("A NUL character."),
    "lone_surrogate": _refuse("Half of a surrogate pair, which is no character."),
    "terminal_escape": _refuse("A terminal escape sequence."),
    "control_character": _refuse("A control character other than tab and line break."),
    "line_separator": _refuse("A line break that most programs do not show as one."),
    "noncharacter": _refuse("A code point that is reserved and never text."),
    "bidi_control": _refuse("A control that reorders what people see."),
    "tag_character": _refuse("Invisible tag characters outside of a flag."),
    "invisible_character": _refuse("An invisible character where no script needs it."),
    "variation_selector": _refuse("A variation selector that selects nothing."),
    "stacked_marks": _refuse("More combining marks on a letter than any script uses."),
    "key_not_plain": _refuse("A key with a line break, private character or no visible letter."),
    "key_mixed_script": _refuse("A key with look-alike letters of two alphabets in one word."),
    # instructions
    "instruction_override": _refuse("Tells a model to drop the instructions it was given."),
    "instruction_reveal": _refuse("Asks a model for its prompt, configuration or secrets."),
    "instruction_persona": _refuse("Gives a model a role without limits."),
    "instruction_exfiltrate": _refuse("Tells a model to send what it knows to an address."),
    "instruction_trigger": _refuse("Has a model run a harmful action when a user says a word."),
    "instruction_encoded": _refuse("An instruction to a model, encoded."),
    "instruction_combined": _refuse("Two signs of a planted instruction that go together."),
    # worth a look
    "private_use": _flag("Private characters, which look different on each machine."),
    "direction_mark": _flag("A direction mark in text that has no right-to-left letters."),
    "mixed_script": _flag("Look-alike letters of two alphabets in one word."),
    "instruction_mention": _flag("Mentions an attack phrase, quoted or told of others."),
    "sign_override": _flag("Says to drop earlier rules or orders."),
    "sign_safety": _flag("Says that safety rules are off."),
    "sign_authority": _flag("Claims a special mode or special rights."),
    "sign_hiding": _flag("Asks to keep something from people."),
    "sign_sending": _flag("Asks to send notes or data to an address."),
    "sign_letter": _flag("A message to the model that reads the note."),
    "sign_renewal": _flag("Asks to be stored again and again."),
    "sign_action": _flag("Ties a harmful action to what a user says."),
    "sign_voice": _flag("Speaks in the voice of the system."),
    "sign_imitation": _flag("Asks to repeat what was done before, each time."),
    "sign_addressed": _flag("Speaks to the model that reads it."),
    "sign_guard": _flag("Says that a check, approval or alert is skipped."),
    "sign_standing": _flag("Wants to hold in every conversation to come."),
    "beacon": _flag("An image whose address has room for data."),
    "role_marker": _flag("Looks like the turn of another role or a chat template."),
    "fence_marker": _flag("Looks like the end of a block of context or memory."),
    "tool_call": _flag("Looks like a tool call or its result."),
}
RANKS: Mapping[str, int] = {code: rank for rank, code in enumerate(RULES)}
