"""English rules: decisions, lessons, preferences, constraints and facts of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_english_facts, rules_topics
from memorykit_app.backends.rules_english_cues import (
    DECISION,
    FINDING,
    MECHANISM,
    NO_RULE,
    RULE,
    TASTE,
)
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_OPENER = re.compile(
    r"(?:(?:ok(?:ay)?|so|right|well|also|and|but|oh|ah|alright|hey|hi|hello|hey \w+|hi \w+"
    r"|yes|no|yeah|yep|nope|sure|great|perfect|fine|good|nice|thanks?(?: you)?|morning|agreed"
    r"|noted|understood|got it|by the way|btw|fyi|anyway|honestly|to be honest|actually|then"
    r"|everyone|team|folks|all|ok everyone|ok team|in short|first(?:ly)?|quick note|note"
    r"|for the record|before i forget|whatever you do|so after [\w -]{1,40}|(?:quick )?heads[- ]up"
    r"|just so (?:you|everyone) knows?|correction|update(?: from [\w ]{1,20})?"
    r"|one (?:more )?(?:rule|thing|note|point)[^:,]{0,60})\s*[,:.!-]+\s+"
    r"|(?:and|but|so|also|then) (?=we|the|our|my|i|you|let's|never|always)\b)",
    re.I,
)
_EXPLICIT = re.compile(
    r"(?:(?:please )?(?:always )?(?:remember|note|keep in mind|bear in mind|don't forget"
    r"|do not forget)(?: that|[:,])\s+|reminder:\s+)",
    re.I,
)
_DECISION_LABEL = re.compile(
    r"(?:the )?(?:final )?(?:decision|call|verdict|resolution)(?: time)?\s*:\s+", re.I
)
_LESSON_LABEL = re.compile(
    r"(?:the )?(?:lessons?(?: learn(?:ed|t))?|takeaway|gotcha|note to self)\s*:\s+", re.I
)
_TAIL = re.compile(
    r",? (?:so (?:please|i|that|we|you)\b|in case\b|thanks\b|by the way|as you said|honestly"
    r"|for your form|for the next time|if you need|believe me|ask \w+ for\b).*$| then$"
    r"|, (?:the old|this|but (?!it was)|who knows|right|you know)\b.*$",
    re.I,
)


def statements(sentence: str) -> Iterator[Statement]:
    """Yield what a sentence states, the strongest reading only; facts once per clause."""
    start, explicit, label = _begin(sentence.replace("’", "'"))
    said = sentence.replace("’", "'")[start:]
    body = said[: tail.start() if (tail := _TAIL.search(said)) else len(said)].rstrip(" ,")
    if len(body.split()) < 2:
        return
    kind = label or _kind(body, said)
    if kind is Kind.DECISION:
        yield Statement(kind, _decision_key(body), body, start, 70, 0.85, explicit)
    elif kind is Kind.LESSON:
        yield Statement(kind, _lesson_key(body), body, start, 60, 0.8, explicit)
    elif kind is Kind.CONSTRAINT:
        yield Statement(kind, _rule_key(body), body, start, 75, 0.8, explicit)
    elif taste := TASTE.search(body):
        what = next(value for value in taste.groups() if value)
        key = rules_topics.preference(what)
        yield Statement(Kind.FACT, key, body, start, 55, 0.85, explicit, taste=True)
    else:
        yield from rules_english_facts.facts(body, start, explicit)


def _kind(body: str, said: str) -> Kind | None:
    """Return what `body` is by its cues; None when it is a preference or a fact, if anything."""
    if FINDING.search(said):
        return Kind.LESSON
    if DECISION.search(body):
        return Kind.DECISION
    if TASTE.search(body):
        return None
    if RULE.search(body) and not NO_RULE.search(body):
        return Kind.CONSTRAINT
    return Kind.LESSON if MECHANISM.search(said) else None


def _begin(sentence: str) -> tuple[int, bool, Kind | None]:
    start, explicit, label = 0, False, None
    for _ in range(5):
        if found := _OPENER.match(sentence, start):
            start = found.end()
        elif found := _EXPLICIT.match(sentence, start):
            start, explicit = found.end(), True
        elif found := _DECISION_LABEL.match(sentence, start):
            start, label = found.end(), Kind.DECISION
        elif found := _LESSON_LABEL.match(sentence, start):
            start, label = found.end(), Kind.LESSON
        else:
            break
    return start, explicit, label


def _decision_key(body: str) -> str:
    found = DECISION.search(body)
    rest = body[found.end() :] if found else body
    rest = rest if len(rest) > 2 else body
    purpose = re.search(
        r"\b(?:for|store|keep) (?:the |our |all )?((?:[\w-]+ ?){1,3}?)"
        r"(?= in\b| on\b| with\b|[,.]|$)",
        rest,
    )
    if purpose and not purpose[1].strip().lower().startswith(("now", "this", "that")):
        return rules_topics.key(purpose[1], rest)
    return rules_topics.topic(rest)


def _lesson_key(body: str) -> str:
    found = FINDING.search(body)
    rest = body[found.end() :] if found else ""
    return rules_topics.words(rest if len(rest) > 12 else body)


def _rule_key(body: str) -> str:
    return rules_topics.words(re.split(r", (?!.*\bmust\b)", body)[0])
