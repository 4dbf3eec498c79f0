"""The one transition table. Services, buttons, permissions, docs and the trigger follow it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    CANDIDATE = "candidate"
    ACTIVE = "active"
    INACTIVE = "inactive"
    ERASED = "erased"


class Kind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    LESSON = "lesson"


class Provenance(StrEnum):
    USER_REQUESTED = "user_requested"
    AGENT_EXTRACTED = "agent_extracted"
    SYSTEM_GENERATED = "system_generated"
    OPERATOR_CURATED = "operator_curated"


class Verb(StrEnum):
    CREATE = "create"
    ACTIVATE = "activate"
    CORRECT = "correct"
    DISMISS = "dismiss"
    SUPERSEDE = "supersede"
    FORGET = "forget"
    EXPIRE = "expire"
    RESTORE = "restore"
    REVERT = "revert"
    ERASE = "erase"
    HOLD = "hold"
    RELEASE = "release"
    PIN = "pin"
    UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One permitted step: `verb` takes a record from `source` to `target`.

    `source` is None for create; `left_as` narrows restore to records that left that state.
    """

    verb: Verb
    source: State | None
    target: State
    left_as: State | None = None


_C, _A, _I, _E = State.CANDIDATE, State.ACTIVE, State.INACTIVE, State.ERASED
LIVING = (_C, _A, _I)

ARROWS: tuple[Arrow, ...] = (
    Arrow(Verb.CREATE, None, _C),
    Arrow(Verb.CREATE, None, _A),
    Arrow(Verb.ACTIVATE, _C, _A),
    *(Arrow(Verb.CORRECT, state, state) for state in LIVING),
    Arrow(Verb.DISMISS, _C, _I),
    Arrow(Verb.SUPERSEDE, _A, _I),
    Arrow(Verb.FORGET, _A, _I),
    Arrow(Verb.EXPIRE, _C, _I),
    Arrow(Verb.EXPIRE, _A, _I),
    Arrow(Verb.RESTORE, _I, _A, left_as=_A),
    Arrow(Verb.RESTORE, _I, _C, left_as=_C),
    Arrow(Verb.REVERT, _A, _C),
    *(Arrow(Verb.ERASE, state, _E) for state in LIVING),
    *(Arrow(Verb.HOLD, state, state) for state in LIVING),
    *(Arrow(Verb.RELEASE, state, state) for state in LIVING),
    Arrow(Verb.PIN, _A, _A),
    Arrow(Verb.UNPIN, _A, _A),
    Arrow(Verb.UNPIN, _I, _I),
)

# A hold stops these; everything else stays possible.
STOPPED_BY_HOLD = frozenset({Verb.ERASE, Verb.EXPIRE, Verb.CORRECT})
# Written by another verb inside its own transaction, never asked for by a caller.
INTERNAL = frozenset({Verb.SUPERSEDE})


def arrow(verb: Verb, source: State | None, *, left_as: State | None = None) -> Arrow | None:
    """Return the arrow that `verb` follows from `source`, or None when there is none."""
    for candidate in ARROWS:
        if candidate.verb is verb and candidate.source is source:
            if candidate.left_as is None or candidate.left_as is left_as:
                return candidate
    return None


def verbs_from(state: State, *, left_as: State | None = None) -> tuple[Verb, ...]:
    """Return the verbs a caller may ask for in `state`, in table order."""
    found = (a.verb for a in ARROWS if a.source is state and a.left_as in (None, left_as))
    return tuple(dict.fromkeys(verb for verb in found if verb not in INTERNAL))
