"""The life cycle: every verb, its guards, and what it leaves behind."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    AccessDenied,
    Conflict,
    ContentRefused,
    InvalidMemory,
    KeyTaken,
    MemoryHeld,
    MemoryNotFound,
    StaleVersion,
    TransitionRefused,
)
from memorykit_app.domain.states import ARROWS, Kind, State, Verb, arrow, verbs_from
from memorykit_app.models import Embedding, Job, Memory, Source, Term, sealed
from memorykit_app.services import correction, erasure, memories
from memorykit_app.services.correction import Correction
from tests.records import (
    AUTHOR,
    NOW,
    OTHER,
    SCOPE,
    active,
    asked,
    at,
    fresh,
    history,
    memory,
)

pytestmark = pytest.mark.django_db

PLAIN = {
    Verb.ACTIVATE: memories.activate,
    Verb.DISMISS: memories.dismiss,
    Verb.FORGET: memories.forget,
    Verb.EXPIRE: memories.expire,
    Verb.RESTORE: memories.restore,
    Verb.REVERT: memories.revert,
    Verb.HOLD: memories.hold,
    Verb.RELEASE: memories.release,
    Verb.PIN: memories.pin,
    Verb.UNPIN: memories.unpin,
    Verb.ERASE: erasure.erase,
}
WORDS = Correction(content="The office is in Porto.", valid_from=NOW)


def correct(memory_id, command):
    return correction.correct(memory_id, command, WORDS)


def in_state(state: State) -> Memory:
    if state is State.CANDIDATE:
        return memory()
    record = active()
    if state is State.INACTIVE:
        return memories.forget(record.pk, asked(1))
    if state is State.ERASED:
        erasure.erase(record.pk, asked(1))
        return fresh(record)
    return record


def count(model, record) -> int:
    with sealed(SCOPE):
        return model.objects.in_scope(SCOPE).filter(memory_id=record.pk).count()


@pytest.mark.parametrize("verb", [*PLAIN, Verb.CORRECT])
@pytest.mark.parametrize("state", list(State))
def test_a_verb_starts_from_the_states_of_the_table_and_no_other(verb, state):
    record = in_state(state)
    run = correct if verb is Verb.CORRECT else PLAIN[verb]
    before = history(record)
    command = asked(record.version, seconds=2)
    left_as = State(record.left_as) if record.left_as else None
    step = arrow(verb, state, left_as=left_as)

    if verb is Verb.ERASE and state is State.ERASED:
        run(record.pk, command)
        assert history(record) == before
        return
    if step is None or verb is Verb.REVERT:
        with pytest.raises(TransitionRefused):
            run(record.pk, command)
        assert history(record) == before
        return
    run(record.pk, command)

    after = fresh(record)
    assert after.state == step.target
    assert after.version == record.version + 1
    assert [revision.action for revision in history(record)][-1] == verb


def test_each_arrow_of_the_table_has_a_verb_to_ask_for_it():
    reachable = {verb for state in State for verb in verbs_from(state, left_as=State.ACTIVE)}

    assert reachable == {step.verb for step in ARROWS} - {Verb.CREATE, Verb.SUPERSEDE}


def test_activation_supersedes_the_record_that_holds_the_key():
    old = active("The office is in Lisbon.")
    new = memory("The office is in Porto.", now=at(1))

    memories.activate(new.pk, asked(1, seconds=2))

    assert fresh(old).state == State.INACTIVE
    assert fresh(old).left_as == State.ACTIVE
    superseded = history(old)[-1]
    assert (superseded.action, superseded.related_id) == (Verb.SUPERSEDE, new.pk)
    assert fresh(new).state == State.ACTIVE
    assert count(Term, old) == 0
    assert count(Term, new) > 0


def test_equal_times_still_supersede():
    old = active()
    new = memory("The office is in Porto.")

    memories.activate(new.pk, asked(1, seconds=0))

    assert fresh(old).state == State.INACTIVE


def test_keys_of_other_kinds_and_scopes_are_other_keys():
    fact = active()
    decision = active("Lisbon it is.", kind=Kind.DECISION)
    foreign = active("The office is in Faro.", scope=OTHER)

    assert fresh(fact).state == State.ACTIVE
    assert fresh(decision).state == State.ACTIVE
    assert fresh(foreign, OTHER).state == State.ACTIVE


def test_activation_asks_for_an_embedding_and_forget_ends_search():
    record = memory()
    assert not Job.objects.filter(target_id=record.pk).exists()
    assert count(Term, record) == 0

    memories.activate(record.pk, asked(1))

    assert Job.objects.filter(target_id=record.pk, kind="embed", state="pending").count() == 1
    assert count(Term, record) > 0

    memories.forget(record.pk, asked(2, seconds=2))

    assert count(Term, record) == 0
    assert count(Source, record) == 1


def test_a_stale_version_changes_nothing():
    record = active()
    before = history(record)

    with pytest.raises(StaleVersion) as caught:
        memories.forget(record.pk, asked(7))

    assert (caught.value.expected, caught.value.found) == (7, 1)
    assert history(record) == before
    assert fresh(record).state == State.ACTIVE


def test_a_failed_activation_leaves_the_sibling_alone():
    old = active()
    new = memory("The office is in Porto.", now=at(1))

    with pytest.raises(StaleVersion):
        memories.activate(new.pk, asked(2, seconds=2))

    assert fresh(old).state == State.ACTIVE
    assert len(history(old)) == 1


def test_a_foreign_id_is_not_found_and_neither_is_an_unknown_one():
    record = active()

    for memory_id, scope in ((record.pk, OTHER), (uuid4(), SCOPE)):
        with pytest.raises(MemoryNotFound):
            memories.forget(memory_id, asked(1, scope=scope))


def test_correct_replaces_words_and_all_sources_and_keeps_the_state():
    record = active()

    correct(record.pk, asked(1))

    after = fresh(record)
    assert after.content == WORDS.content
    assert after.state == State.ACTIVE
    assert after.content_hash != record.content_hash
    assert count(Source, record) == 0
    assert history(record)[-1].snapshot["sources"] == []


def test_correct_may_move_a_candidate_to_a_new_key_and_nothing_else():
    candidate, holder = memory(), active("Old.", key="other.key")
    words = Correction(content="The office is in Porto.", valid_from=NOW, key="office.second")

    correction.correct(candidate.pk, asked(1), words)
    with pytest.raises(Conflict):
        correction.correct(holder.pk, asked(1), words)

    assert fresh(candidate).key == "office.second"
    assert fresh(holder).key == "other.key"


def test_restore_brings_back_the_state_that_was_left():
    dismissed, forgotten = memory(key="a.one"), active(key="a.two")
    memories.dismiss(dismissed.pk, asked(1))
    memories.forget(forgotten.pk, asked(1))

    memories.restore(dismissed.pk, asked(2, seconds=2))
    memories.restore(forgotten.pk, asked(2, seconds=2))

    assert fresh(dismissed).state == State.CANDIDATE
    assert fresh(forgotten).state == State.ACTIVE
    assert count(Term, forgotten) > 0


def test_restore_refuses_while_another_record_holds_the_key():
    old = active()
    active("The office is in Porto.", now=at(1))

    with pytest.raises(KeyTaken):
        memories.restore(old.pk, asked(2, seconds=2))

    assert fresh(old).state == State.INACTIVE


def test_revert_undoes_an_activation_and_brings_back_what_it_replaced():
    old = active()
    new = memory("The office is in Porto.", now=at(1))
    memories.activate(new.pk, asked(1, seconds=2))

    memories.revert(new.pk, asked(2, seconds=60))

    assert fresh(new).state == State.CANDIDATE
    assert fresh(old).state == State.ACTIVE
    assert count(Term, new) == 0
    assert [r.action for r in history(old)] == ["create", "supersede", "restore"]


def test_revert_is_refused_when_the_time_to_undo_is_over(settings):
    record = memory()
    memories.activate(record.pk, asked(1))

    with pytest.raises(TransitionRefused):
        memories.revert(record.pk, asked(2, seconds=602))

    assert fresh(record).state == State.ACTIVE


def test_revert_is_refused_when_the_replaced_record_changed_since():
    old = active()
    new = memory("The office is in Porto.", now=at(1))
    memories.activate(new.pk, asked(1, seconds=2))
    correct(old.pk, asked(2, seconds=3))

    with pytest.raises(Conflict):
        memories.revert(new.pk, asked(2, seconds=4))

    assert fresh(new).state == State.ACTIVE


@pytest.mark.parametrize("verb", [Verb.ERASE, Verb.EXPIRE, Verb.CORRECT])
def test_a_hold_stops_what_would_take_the_words_away(verb):
    record = active()
    memories.hold(record.pk, asked(1))
    run = correct if verb is Verb.CORRECT else PLAIN[verb]

    with pytest.raises(MemoryHeld):
        run(record.pk, asked(2, seconds=2))
    memories.release(record.pk, asked(2, seconds=3))
    run(record.pk, asked(3, seconds=4))

    assert len(history(record)) == 4


def test_a_clock_that_goes_back_is_refused():
    record = active()

    with pytest.raises(Conflict):
        memories.forget(record.pk, asked(1, seconds=-1))


def test_nobody_activates_what_they_proposed():
    submitter = Principal.operator("cli")
    proposed = memory(source_agent_id=submitter.actor)

    for same_person in (submitter, AUTHOR):
        with pytest.raises(AccessDenied):
            memories.activate(proposed.pk, asked(1, by=same_person))
    memories.activate(proposed.pk, asked(1))

    assert fresh(proposed).state == State.ACTIVE


def test_credentials_are_refused_in_notes_too():
    record = active()

    with pytest.raises(ContentRefused) as caught:
        memories.forget(record.pk, asked(1, note="password: hunter2-Long-Enough-9"))

    assert caught.value.field == "note"
    assert "hunter2" not in str(caught.value)
    assert fresh(record).state == State.ACTIVE


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"reason": "Free words"}, "reason"),
        ({"note": "x" * 281}, "note"),
        ({"note": "nul\0"}, "note"),
    ],
)
def test_a_command_is_checked_before_anything_is_locked(changes, field):
    with pytest.raises(InvalidMemory) as caught:
        asked(1, **changes)

    assert caught.value.field == field


def test_erase_takes_every_word_and_a_repeat_gives_the_first_receipt():
    record = active()
    correct(record.pk, asked(1, note="moved"))

    receipt = erasure.erase(record.pk, asked(2, seconds=2, reason="request"))
    again = erasure.erase(record.pk, asked(9, seconds=3))

    assert again == receipt
    assert receipt.counts["revision"] == 2
    after = fresh(record)
    assert (after.state, after.key, after.content, after.content_hash) == ("erased", "", "", "")
    assert count(Source, record) == count(Term, record) == count(Embedding, record) == 0
    for revision in history(record):
        assert revision.content_erased
        assert revision.note == ""
        assert "content" not in revision.snapshot
        assert "key" not in revision.snapshot
    assert not Job.objects.filter(target_id=record.pk, state="pending").exists()
