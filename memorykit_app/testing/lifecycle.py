"""Lifecycle conformance: what every store of governed memory does, case by case."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.errors import Conflict, InvalidMemory, MemorykitError, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, State
from memorykit_app.services.correction import Correction
from memorykit_app.services.lifecycle import Command
from memorykit_app.testing.store import Store

Case = Callable[[Store], None]
SCOPE: Final = Scope.project("conformance", "project-1")
OTHERS: Final = (Scope.project("conformance", "project-2"), Scope.project("rival", "project-1"))
START: Final = datetime(2031, 1, 1, 12, tzinfo=UTC)
AUTHOR: Final = Principal.operator("author")
REVIEWER: Final = Principal.operator("reviewer")
DRAFT: Final = Draft(
    kind=Kind.DECISION,
    key="build.test_command",
    content="Run make test before a commit.",
    valid_from=START - timedelta(hours=1),
    importance=80,
    confidence=1.0,
    sources=(SourceRef(kind="artifact", ref="build:1", evidence_hash="e1"),),
)
WORDS: Final = Correction(
    content="Run make check before a commit.",
    valid_from=START,
    importance=90,
    confidence=0.9,
    sources=DRAFT.sources,
)


def asked(version: int = 1, *, scope: Scope = SCOPE, seconds: float = 60) -> Command:
    return Command(
        scope=scope,
        by=REVIEWER,
        now=START + timedelta(seconds=seconds),
        expected_version=version,
        reason="conformance",
    )


def made(
    store: Store,
    draft: Draft = DRAFT,
    *,
    state: State = State.CANDIDATE,
    scope: Scope = SCOPE,
    memory_id: UUID | None = None,
    key: str = "",
    seconds: float = 0,
) -> Any:
    command = Command(
        scope=scope,
        by=AUTHOR,
        now=START + timedelta(seconds=seconds),
        expected_version=1,
        reason="conformance",
    )
    return store.create(
        draft, command, state=state, memory_id=memory_id or uuid4(), idempotency_key=key
    )


def refused(error: type[MemorykitError], act: Callable[[], object]) -> None:
    try:
        act()
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def history(store: Store, memory: Any, **at: Any) -> list[tuple[int, str]]:
    rows = store.revisions(memory.pk, SCOPE, **at)
    return [(row.version, row.action) for row in rows]


def a_candidate_is_never_active(store: Store) -> None:
    assert made(store).state == State.CANDIDATE
    assert not store.active(SCOPE)


def an_active_create_supersedes_the_same_kind_and_key(store: Store) -> None:
    old = made(store, state=State.ACTIVE)
    new = made(store, state=State.ACTIVE, seconds=1)
    seen = store.get(old.pk, SCOPE)
    assert (seen.state, seen.version) == (State.INACTIVE, old.version + 1)
    assert [row.pk for row in store.active(SCOPE)] == [new.pk]


def another_scope_remains_apart(store: Store) -> None:
    mine = made(store, state=State.ACTIVE)
    assert len(store.active(SCOPE)) == 1
    for scope in OTHERS:
        assert not store.active(scope)
        refused(MemoryNotFound, lambda scope=scope: store.get(mine.pk, scope))  # type: ignore[misc]


def an_activation_supersedes_the_active_record(store: Store) -> None:
    old, new = made(store, state=State.ACTIVE), made(store, seconds=1)
    assert store.change("activate", new.pk, asked()).state == State.ACTIVE
    assert store.get(old.pk, SCOPE).state == State.INACTIVE


def an_activation_at_the_same_time_supersedes_too(store: Store) -> None:
    old, new = made(store, state=State.ACTIVE), made(store)
    store.change("activate", new.pk, asked(seconds=0))
    assert [row.pk for row in store.active(SCOPE)] == [new.pk] != [old.pk]


def a_stale_version_changes_nothing(store: Store) -> None:
    old, new = made(store, state=State.ACTIVE), made(store, seconds=1)
    refused(Conflict, lambda: store.change("activate", new.pk, asked(2)))
    assert [row.pk for row in store.active(SCOPE)] == [old.pk]
    assert history(store, old) == history(store, new) == [(1, "create")]


def a_verb_from_the_wrong_state_changes_nothing(store: Store) -> None:
    active, candidate = made(store, state=State.ACTIVE), made(store, seconds=1)
    for verb, memory in (("activate", active), ("dismiss", active), ("forget", candidate)):
        refused(Conflict, lambda verb=verb, memory=memory: store.change(verb, memory.pk, asked()))  # type: ignore[misc]
        assert history(store, memory) == [(1, "create")]


def a_correction_keeps_the_history(store: Store) -> None:
    memory = made(store, state=State.ACTIVE)
    corrected = store.correct(memory.pk, asked(), WORDS)
    assert (corrected.version, corrected.content) == (2, WORDS.content)
    assert history(store, memory) == [(2, "correct"), (1, "create")]
    assert history(store, memory, before_version=2) == [(1, "create")]


def a_dismissal_makes_a_candidate_inactive(store: Store) -> None:
    assert store.change("dismiss", made(store).pk, asked()).state == State.INACTIVE


def a_forgotten_record_keeps_its_words_in_the_history(store: Store) -> None:
    memory = made(store, state=State.ACTIVE)
    assert store.change("forget", memory.pk, asked()).state == State.INACTIVE
    assert not store.active(SCOPE)
    newest, _ = store.revisions(memory.pk, SCOPE)
    assert (newest.action, newest.snapshot["content"]) == ("forget", DRAFT.content)


def an_erase_takes_words_sources_and_snapshots(store: Store) -> None:
    memory = made(store, state=State.ACTIVE)
    store.erase(memory.pk, asked())
    seen = store.get(memory.pk, SCOPE)
    assert (seen.state, seen.content, seen.key) == (State.ERASED, "", "")
    assert list(store.sources(memory.pk, SCOPE)) == []
    for revision in store.revisions(memory.pk, SCOPE):
        assert revision.content_erased
        assert DRAFT.content not in str(revision.snapshot)


def what_is_returned_is_a_copy(store: Store) -> None:
    memory = made(store, state=State.ACTIVE)
    # A record that cannot be changed is as good as a copy.
    with suppress(AttributeError):
        store.get(memory.pk, SCOPE).content = "changed"
    with suppress(AttributeError):
        store.sources(memory.pk, SCOPE)[0].ref = "changed"
    store.revisions(memory.pk, SCOPE)[0].snapshot["content"] = "changed"
    assert store.get(memory.pk, SCOPE).content == DRAFT.content
    assert store.sources(memory.pk, SCOPE)[0].ref == "build:1"
    assert store.revisions(memory.pk, SCOPE)[0].snapshot["content"] == DRAFT.content


def an_identical_replay_has_no_effect(store: Store) -> None:
    memory_id = uuid4()
    made(store, state=State.ACTIVE, memory_id=memory_id, key="call")
    store.correct(memory_id, asked(), WORDS)
    again = made(store, state=State.ACTIVE, memory_id=memory_id, key="call", seconds=120)
    assert (again.version, again.content) == (2, WORDS.content)
    assert len(store.revisions(memory_id, SCOPE)) == 2


def the_order_of_sources_does_not_matter_for_a_replay(store: Store) -> None:
    one, two = DRAFT.sources[0], SourceRef(kind="artifact", ref="build:2")
    memory_id = uuid4()
    first = made(store, replace(DRAFT, sources=(one, two)), memory_id=memory_id, key="call")
    again = made(store, replace(DRAFT, sources=(two, one)), memory_id=memory_id, key="call")
    assert again.pk == first.pk
    assert history(store, first) == [(1, "create")]


def a_replay_of_another_request_overwrites_nothing(store: Store) -> None:
    memory_id = uuid4()
    memory = made(store, memory_id=memory_id, key="call")
    other = replace(DRAFT, content="Run nothing.")
    refused(Conflict, lambda: made(store, other, memory_id=memory_id, key="call"))
    refused(Conflict, lambda: made(store, memory_id=uuid4(), key="call"))
    refused(Conflict, lambda: made(store, memory_id=memory_id, key="another"))
    refused(Conflict, lambda: made(store, memory_id=memory_id, scope=OTHERS[0]))
    made(store, memory_id=uuid4(), scope=OTHERS[0], key="call")
    assert store.get(memory.pk, SCOPE).content == DRAFT.content


def an_erase_ends_the_replay(store: Store) -> None:
    memory_id = uuid4()
    memory = made(store, memory_id=memory_id, key="call")
    store.erase(memory_id, asked())
    refused(Conflict, lambda: made(store, memory_id=memory_id, key="call", seconds=90))
    assert store.get(memory_id, SCOPE).state == State.ERASED
    assert len(store.revisions(memory.pk, SCOPE)) == 2


def an_id_that_is_none_is_refused(store: Store) -> None:
    memory = made(store)
    for name in (str(memory.pk).upper(), "", None):
        refused(InvalidMemory, lambda name=name: store.get(name, SCOPE))  # type: ignore[misc]
        refused(InvalidMemory, lambda name=name: store.change("activate", name, asked()))  # type: ignore[misc]


CASES: Final[tuple[Case, ...]] = (
    a_candidate_is_never_active,
    an_active_create_supersedes_the_same_kind_and_key,
    another_scope_remains_apart,
    an_activation_supersedes_the_active_record,
    an_activation_at_the_same_time_supersedes_too,
    a_stale_version_changes_nothing,
    a_verb_from_the_wrong_state_changes_nothing,
    a_correction_keeps_the_history,
    a_dismissal_makes_a_candidate_inactive,
    a_forgotten_record_keeps_its_words_in_the_history,
    an_erase_takes_words_sources_and_snapshots,
    what_is_returned_is_a_copy,
    an_identical_replay_has_no_effect,
    the_order_of_sources_does_not_matter_for_a_replay,
    a_replay_of_another_request_overwrites_nothing,
    an_erase_ends_the_replay,
    an_id_that_is_none_is_refused,
)
