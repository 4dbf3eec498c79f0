"""Validator: the built-in look at every text before it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memorykit_app.backends import validator_characters as characters
from memorykit_app.backends import validator_credentials as credentials
from memorykit_app.backends import validator_decoding as decoding
from memorykit_app.backends import validator_folding as folding
from memorykit_app.backends import validator_instructions as instructions
from memorykit_app.backends import validator_markers as markers
from memorykit_app.backends.base import ContentValidator, Finding, Severity
from memorykit_app.backends.validator_catalogue import RANKS, RULES

KEY = "key"
#: Evidence is shown and never recalled: only a credential in it is refused.
EVIDENCE = frozenset({"sources.quote"})
_CREDENTIAL = "credential_"


class ContentRules(ContentValidator):
    """Looks for credentials, characters that deceive, and instructions to a model.

    `longest` is the most characters of a field that are read; a longer one is refused unread.
    Raises ValueError when it is not a positive whole number.
    """

    def __init__(self, longest: int = 65_536) -> None:
        if type(longest) is not int or longest < 1:
            raise ValueError("longest must be a positive whole number")
        self._longest = longest

    def findings(self, fields: Mapping[str, str]) -> list[Finding]:
        """Return what the named texts meet, worst first. Takes time linear in their length."""
        found = [
            Finding(field, rule, _severity(field, rule))
            for field, text in fields.items()
            for rule in self._rules(field, text)
        ]
        order = {field: place for place, field in enumerate(fields)}
        return sorted(
            found,
            key=lambda one: (one.severity is Severity.FLAG, RANKS[one.rule], order[one.field]),
        )

    def _rules(self, field: str, text: str) -> set[str]:
        if len(text) > self._longest:
            return {"too_long"}
        return set(_met(field, text))


def _met(field: str, text: str) -> Iterator[str]:
    yield from characters.codes(text)
    if field == KEY:
        yield from characters.key_codes(text)
    visible = folding.visible(text)
    yield from credentials.codes(visible)
    folded = folding.folded(visible)
    yield from markers.codes(folded)
    signs = instructions.signs(folded)
    yield from instructions.codes(signs)
    decoded = decoding.decoded(visible)
    if decoded:
        yield from credentials.codes(decoded)
    # Nobody mentions an attack in code: what only a decoding shows is meant.
    if decoded and _orders(decoded):
        yield "instruction_encoded"
    plain = instructions.count(signs)
    if any(_orders(view) > plain for view in decoding.views(visible, folded)):
        yield "instruction_encoded"


def _orders(view: str) -> int:
    return instructions.count(instructions.signs(folding.folded(folding.visible(view))))


def _severity(field: str, rule: str) -> Severity:
    if field in EVIDENCE and not rule.startswith(_CREDENTIAL):
        return Severity.FLAG
    return RULES[rule].severity
