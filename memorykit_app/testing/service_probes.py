"""Probes of the services and of recall, found by looking at what takes a scope or a caller."""

from __future__ import annotations

import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from memorykit_app import recall, services
from memorykit_app.domain.agents import AgentRun
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.states import Kind, Provenance, State, Verb
from memorykit_app.models import Verdict
from memorykit_app.recall.query import RecallQuery
from memorykit_app.services import creation, erasure_batch, explicit_writes, jobs, reading
from memorykit_app.services.correction import Correction
from memorykit_app.services.erasure_selection import Selection
from memorykit_app.testing.pair import TOPIC, Ids, Pair
from memorykit_app.testing.two_scopes import Probe

Ask = Callable[[Pair, Ids], object]
#: A function that takes one of these acts for somebody.
_FOR_SOMEBODY: Final = ("Scope", "Command", "Order", "Principal", "AgentRun")

#: What to pass for a parameter of this name, whatever the function.
VALUES: Final[Mapping[str, Callable[[Pair, Ids], Any]]] = {
    "scope": lambda pair, ids: pair.mine,
    "by": lambda pair, ids: pair.by,
    "now": lambda pair, ids: pair.now,
    "asked": lambda pair, ids: pair.asked(),
    "command": lambda pair, ids: pair.asked(),
    "order": lambda pair, ids: erasure_batch.Order(scope=pair.mine, by=pair.by, now=pair.now),
    "run": lambda pair, ids: AgentRun(
        scope=pair.mine, by=pair.by, run_id="run-1", user_id="user-1", write_intent=True
    ),
    "memory_id": lambda pair, ids: ids.memory_id,
    "memory_ids": lambda pair, ids: [ids.memory_id, ids.candidate_id],
    "job_id": lambda pair, ids: ids.job_id,
    "receipt_id": lambda pair, ids: ids.receipt_id,
    "transcript_id": lambda pair, ids: ids.transcript_id,
    "selection": lambda pair, ids: Selection(memory_id=ids.memory_id, lineage=True),
    "query": lambda pair, ids: RecallQuery(text=TOPIC, keys=(ids.key,)),
    "text": lambda pair, ids: ids.erased_content,
    "verb": lambda pair, ids: Verb.HOLD,
    "expected_version": lambda pair, ids: 1,
    "limit": lambda pair, ids: 10,
}


def _draft(ids: Ids) -> Draft:
    return Draft(
        kind=Kind.FACT,
        key=ids.key,
        # Erased in the other scope; blocked there, and nowhere else.
        content=ids.erased_content,
        sources=(SourceRef(kind="memory", ref=str(ids.memory_id)),),
    )


def _listed(pair: Pair, ids: Ids) -> list[Any]:
    return [
        reading.list_memories(
            scope=pair.mine, by=pair.by, now=pair.now, state=state, key=key, limit=50
        )
        for state in State
        for key in (None, ids.key)
    ]


def _chat(pair: Pair, ids: Ids) -> bytes:
    return json.dumps([{"role": "user", "content": ids.erased_content}]).encode()


#: Calls that names of parameters do not tell.
ROWS: Final[Mapping[str, Ask]] = {
    "creation.create": lambda pair, ids: creation.create(
        _draft(ids),
        scope=pair.mine,
        by=pair.by,
        provenance=Provenance.USER_REQUESTED,
        now=pair.now,
        state=State.ACTIVE,
        idempotency_key=ids.key,
    ),
    "reading.list_memories": _listed,
    "jobs.cancel_work": lambda pair, ids: jobs.cancel_work(pair.mine, target_id=ids.transcript_id),
    "jobs.listed": lambda pair, ids: jobs.listed(scope=pair.mine, limit=100),
    "jobs.tallies": lambda pair, ids: [
        (tally.kind, tally.state, tally.count) for tally in jobs.tallies(pair.mine)
    ],
}
#: As in ROWS, but one parameter only.
PARTS: Final[Mapping[str, Mapping[str, Callable[[Pair, Ids], Any]]]] = {
    "correction.correct": {
        "words": lambda pair, ids: Correction(content=ids.erased_content, valid_from=pair.now)
    },
    "transcripts.submit": {"data": _chat, "run_id": lambda pair, ids: ids.key},
    "explicit_writes.remember": {
        "words": lambda pair, ids: explicit_writes.Words(
            kind=Kind.FACT, key=ids.key, content=ids.erased_content, why="asked to"
        )
    },
    "explicit_writes.correct": {
        "content": lambda pair, ids: ids.erased_content,
        "why": lambda pair, ids: "asked to",
    },
    "explicit_writes.forget": {"why": lambda pair, ids: "asked to"},
    "feedback.give": {"verdict": lambda pair, ids: Verdict.USEFUL},
    "search.recall": {"explain": lambda pair, ids: True, "always_on": lambda pair, ids: True},
}
#: Why a function has no probe.
NOT_PROBED: Final[Mapping[str, str]] = {
    "content.refuse_erased": "takes a scope row; creation.create runs it",
    "scopes.ensure": "makes the caller's own scope row",
    "scopes.digest": "computes, reads nothing",
    "lifecycle.advisory_lock": "takes a lock, tells nothing",
    "lifecycle.lock_slot": "takes a lock, tells nothing",
    "lifecycle.checked": "takes a row that was read in its scope",
    "lifecycle.write": "takes a row that was read in its scope",
    "lifecycle.sources_of": "takes a row that was read in its scope",
    "lifecycle.supersede_holder": "takes a row that was read in its scope",
    "reading.sources_of": "takes rows that were read in their scope",
    "explicit_policy.untouched": "takes rows that were read in their scope",
    "rebuild_compare.asked": "computes, reads nothing",
    "rebuild_compare.compare": "an operator's; takes questions with their scopes, gives counts",
    "receipts.store": "writes into the caller's own scope",
    "erasure.write_receipt": "writes into the caller's own scope",
    "jobs.redrive": "an operator's; jobs are claimed across scopes and hold ids and codes",
    "jobs.cancel": "an operator's; jobs are claimed across scopes and hold ids and codes",
}
_INNER: Final = {"lifecycle.locked", "lifecycle.begin"}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of services and recall that act for somebody, by name."""
    for package in (services, recall):
        for module in pkgutil.iter_modules(package.__path__):
            found = import_module(f"{package.__name__}.{module.name}")
            for name, value in sorted(vars(found).items()):
                ours = inspect.isfunction(value) and value.__module__ == found.__name__
                if ours and not name.startswith("_") and _for_somebody(value):
                    yield f"{module.name}.{name}", value


def probes(rows: Mapping[str, Ask] = ROWS) -> list[Probe]:
    """Return a probe for each function that a row or the names of its parameters tell of."""
    return [
        Probe(name=f"service {name}", ask=ask, sealed=name in _INNER)
        for name, function in functions()
        if name not in NOT_PROBED and (ask := rows.get(name) or _by_names(name, function))
    ]


def unprobed(rows: Mapping[str, Ask] = ROWS) -> list[str]:
    """Return the functions that nobody tells how to call; a new one without a row is here."""
    return [
        name
        for name, function in functions()
        if name not in NOT_PROBED and name not in rows and _by_names(name, function) is None
    ]


def _for_somebody(function: Callable[..., Any]) -> bool:
    annotations = [
        str(parameter.annotation) for parameter in inspect.signature(function).parameters.values()
    ]
    return any(
        word in annotation.split(" ") for annotation in annotations for word in _FOR_SOMEBODY
    )


def _by_names(name: str, function: Callable[..., Any]) -> Ask | None:
    """Return a call with a value for each parameter, or None when one is unknown."""
    parts = PARTS.get(name, {})
    wanted = {
        parameter: parts.get(parameter) or VALUES.get(parameter)
        for parameter, of in inspect.signature(function).parameters.items()
        if parameter in parts or of.default is inspect.Parameter.empty
    }
    if not all(wanted.values()):
        return None

    def ask(pair: Pair, ids: Ids) -> object:
        return function(**{key: value(pair, ids) for key, value in wanted.items() if value})

    return ask
