"""Misdeeds: wrong changes past the services, each with the guard that must refuse it.

A misdeed prepares records through the services and returns the act itself. `guard` is the
trigger or constraint whose loss would let the act pass; `rule` the name that the refusal gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models.functions import Now

from memorykit_app.domain.actors import Capability
from memorykit_app.models import (
    Embedding,
    ErasureReceipt,
    Feedback,
    Fingerprint,
    HostKey,
    Idempotency,
    Job,
    JobKind,
    Memory,
    Profile,
    ReviewerGrant,
    Revision,
    ScopeRecord,
    Source,
    Transcript,
)
from memorykit_app.services import erasure, host_keys, jobs, memories, revisions
from tests.records import MODEL, NOW, OTHER, SCOPE, active, asked, at, fresh, history, memory

Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Misdeed:
    name: str
    guard: str
    rule: str
    prepare: Callable[[], Act]


MISDEEDS: list[Misdeed] = []


def misdeed(guard: str, rule: str = "") -> Callable[[Callable[[], Act]], Callable[[], Act]]:
    def register(prepare: Callable[[], Act]) -> Callable[[], Act]:
        MISDEEDS.append(Misdeed(prepare.__name__, guard, rule or guard, prepare))
        return prepare

    return register


def raw(sql: str, *params: Any) -> Act:
    def act() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, params)

    return act


def change(record: Memory, **changes: object) -> Act:
    """Change a row with its version step, but without its revision."""
    changes = {"version": record.version + 1, "updated_at": at(5)} | changes
    return lambda: Memory.objects.in_scope(SCOPE).filter(pk=record.pk).update(**changes)


def copy(record, **changes: object) -> Act:
    """Insert a row like this one under another id."""
    columns = {f.attname: getattr(record, f.attname) for f in record._meta.concrete_fields}
    model = type(record)
    return lambda: model(**(columns | {"id": uuid4()} | changes)).save(force_insert=True)


def erased(**changes: object) -> Memory:
    record = active("Erased words.", key="gone.key", **changes)
    erasure.erase(record.pk, asked(1))
    return fresh(record)


def source_of(record: Memory, **changes: object) -> Source:
    columns = {
        "id": uuid4(),
        "scope_id": SCOPE.id,
        "memory_id": record.pk,
        "kind": "n",
        "ref": "n",
    }
    return Source(**(columns | changes))


def embedding_of(record: Memory, **changes: object) -> Embedding:
    Profile.objects.get_or_create(name="three", dimension=3, created_at=NOW)
    columns = {
        "id": uuid4(),
        "scope_id": SCOPE.id,
        "memory_id": record.pk,
        "profile_id": "three",
        "dimension": 3,
        "content_hash": "0" * 64,
        "vector": [1.0, 0.0, 0.0],
        "created_at": NOW,
    }
    return Embedding(**(columns | changes))


def insert(row) -> Act:
    return lambda: row.save(force_insert=True)


def revision_of(record: Memory, **changes: object) -> Revision:
    columns = {
        "id": uuid4(),
        "scope_id": SCOPE.id,
        "memory_id": record.pk,
        "version": record.version,
        "state": record.state,
        "actor": "person:1",
        "snapshot": revisions.snapshot(record, []),
        "created_at": NOW,
    }
    return Revision(**(columns | changes))


# The life cycle


@misdeed("memorykit_memory_insert", "memorykit_memory_arrow")
def start_at_version_two():
    return copy(memory(), version=2)


@misdeed("memorykit_memory_insert", "memorykit_memory_arrow")
def start_inactive():
    return copy(memory(), state="inactive", left_as="active")


@misdeed("memorykit_memory_insert", "memorykit_scope_closed")
def write_into_a_closed_scope():
    record = active()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)
    return copy(record, key="other.key")


@misdeed("memorykit_memory_update", "memorykit_memory_arrow")
def bring_an_erased_memory_back():
    return change(erased(), state="active", key="k", content="c", content_hash="h")


@misdeed("memorykit_memory_update", "memorykit_memory_arrow")
def make_an_inactive_memory_a_candidate_by_way_of_nothing():
    return change(memory(), state="unknown")


@misdeed("memorykit_memory_update", "memorykit_memory_version")
def skip_a_version():
    return change(active(), version=3)


@misdeed("memorykit_memory_update", "memorykit_memory_version")
def change_without_a_version_step():
    return change(active(), version=1)


@misdeed("memorykit_memory_update", "memorykit_memory_version")
def go_back_in_time():
    return change(active(), updated_at=at(-5))


@misdeed("memorykit_memory_update", "memorykit_memory_identity")
def change_the_kind():
    return change(active(), kind="lesson")


@misdeed("memorykit_memory_update", "memorykit_memory_identity")
def change_the_author():
    return change(active(), created_by="person:9")


@misdeed("memorykit_memory_update", "memorykit_memory_identity")
def change_the_key_of_an_active_memory():
    return change(active(), key="other.key")


@misdeed("memorykit_memory_update", "memorykit_memory_held")
def correct_a_held_memory():
    record = memories.hold(active().pk, asked(1))
    return change(record, content="Other words.", content_hash="h")


@misdeed("memorykit_memory_update", "memorykit_memory_left_as")
def leave_under_a_false_name():
    return change(active(), state="inactive", left_as="candidate")


@misdeed("memorykit_memory_no_delete")
def delete_a_memory():
    return raw("DELETE FROM memorykit_memory WHERE id = %s", active().pk)


@misdeed("memorykit_memory_settled", "memorykit_memory_revision")
def change_words_without_a_revision():
    return change(active(), content="Other words.", content_hash="h")


@misdeed("memorykit_memory_settled", "memorykit_term_active")
def leave_search_terms_behind():
    record = active()

    def act():
        change(record, state="inactive", left_as="active")()
        insert(revision_of(Memory.objects.in_scope(SCOPE).get(), action="forget"))()

    return act


@misdeed("memorykit_memory_settled", "memorykit_memory_erased_whole")
def erase_by_halves():
    record = active()

    def act():
        raw("DELETE FROM memorykit_term")()
        change(record, state="erased", key="", content="", content_hash="")()
        row = Memory.objects.in_scope(SCOPE).get()
        insert(
            revision_of(
                row,
                action="erase",
                snapshot=revisions.redacted(revisions.snapshot(row, [])),
                content_erased=True,
            )
        )()

    return act


# Revisions


@misdeed("memorykit_revision_insert", "memorykit_revision_true")
def tell_of_a_version_that_is_not():
    record = active()
    snapshot = revisions.snapshot(record, []) | {"version": 2}
    return insert(revision_of(record, version=2, action="correct", snapshot=snapshot))


@misdeed("memorykit_revision_insert", "memorykit_revision_true")
def tell_of_other_words():
    record = active()

    def act():
        change(record, content="Real words.", content_hash="h")()
        row = Memory.objects.in_scope(SCOPE).get()
        snapshot = revisions.snapshot(row, []) | {"content": "Made-up words."}
        insert(revision_of(row, action="correct", snapshot=snapshot))()

    return act


@misdeed("memorykit_revision_insert", "memorykit_revision_arrow")
def call_a_forget_a_dismissal():
    record = active()

    def act():
        raw("DELETE FROM memorykit_term")()
        change(record, state="inactive", left_as="active")()
        insert(revision_of(Memory.objects.in_scope(SCOPE).get(), action="dismiss"))()

    return act


@misdeed("memorykit_revision_insert", "memorykit_revision_redacted")
def keep_words_in_an_erase_revision():
    record = memory(sources=())

    def act():
        change(record, state="erased", key="", content="", content_hash="")()
        row = Memory.objects.in_scope(SCOPE).get()
        snapshot = revisions.snapshot(row, []) | {"key": "kept"}
        insert(revision_of(row, action="erase", snapshot=snapshot, content_erased=True))()

    return act


def edit_revision(**changes: object) -> Act:
    record = active()
    first = history(record)[0]
    return lambda: Revision.objects.in_scope(SCOPE).filter(pk=first.pk).update(**changes)


@misdeed("memorykit_revision_update", "memorykit_revision_append_only")
def name_another_actor():
    return edit_revision(actor="person:9")


@misdeed("memorykit_revision_update", "memorykit_revision_append_only")
def add_a_note_later():
    return edit_revision(note="later")


@misdeed("memorykit_revision_update", "memorykit_revision_append_only")
def redact_a_living_memory():
    record = active()
    first = history(record)[0]
    return lambda: (
        Revision.objects.in_scope(SCOPE)
        .filter(pk=first.pk)
        .update(snapshot=revisions.redacted(first.snapshot), content_erased=True)
    )


@misdeed("memorykit_revision_no_delete")
def delete_a_revision():
    active()
    return raw("DELETE FROM memorykit_revision")


# Children


@misdeed("memorykit_source_memory_fk")
def put_a_source_into_another_scope():
    record = active()
    ScopeRecord(
        id=OTHER.id,
        tenant_id="acme",
        subject_type="project",
        subject_id="blue",
        salt=b"x",
        created_at=NOW,
    ).save()
    return raw(
        "SELECT set_config('memorykit.scope', %s, true);"
        " INSERT INTO memorykit_source (id, scope_id, memory_id, kind, ref, evidence_hash, quote)"
        " VALUES (gen_random_uuid(), %s, %s, 'n', 'n', '', '')",
        str(OTHER.id),
        OTHER.id,
        record.pk,
    )


@misdeed("memorykit_revision_memory_fk")
def write_history_of_nothing():
    # The insert trigger refuses this too, by another name: it is switched off to see the key.
    raw("ALTER TABLE memorykit_revision DISABLE TRIGGER memorykit_revision_insert")()
    record = active()
    return insert(revision_of(record, memory_id=uuid4(), action="create"))


@misdeed("memorykit_term_memory_fk")
def index_nothing():
    active()
    return raw("INSERT INTO memorykit_term VALUES ('w', 1, %s, %s)", uuid4(), SCOPE.id)


@misdeed("memorykit_embedding_memory_fk")
def embed_nothing():
    return insert(embedding_of(active(), memory_id=uuid4()))


@misdeed("memorykit_source_parent_insert", "memorykit_parent_living")
def attach_a_source_to_an_erased_memory():
    return insert(source_of(erased()))


@misdeed("memorykit_source_parent_update", "memorykit_parent_living")
def move_a_source_to_an_erased_memory():
    source = source_of(active())
    source.save(force_insert=True)
    gone = erased()
    return lambda: Source.objects.in_scope(SCOPE).filter(pk=source.pk).update(memory_id=gone.pk)


@misdeed("memorykit_term_parent_insert", "memorykit_parent_living")
def make_a_candidate_searchable():
    return raw("INSERT INTO memorykit_term VALUES ('w', 1, %s, %s)", memory().pk, SCOPE.id)


@misdeed("memorykit_term_parent_update", "memorykit_parent_living")
def move_terms_to_a_candidate():
    active("Words.", key="a")
    return raw("UPDATE memorykit_term SET memory_id = %s", memory().pk)


@misdeed("memorykit_embedding_parent_insert", "memorykit_parent_living")
def attach_a_vector_to_an_erased_memory():
    return insert(embedding_of(erased()))


@misdeed("memorykit_embedding_parent_update", "memorykit_parent_living")
def move_a_vector_to_an_erased_memory():
    embedding = embedding_of(active())
    embedding.save(force_insert=True)
    gone = erased()
    rows = Embedding.objects.in_scope(SCOPE)
    return lambda: rows.filter(pk=embedding.pk).update(memory_id=gone.pk)


@misdeed("memorykit_embedding_profile_fk")
def store_a_vector_of_another_dimension():
    return insert(embedding_of(active(), dimension=2, vector=[1.0, 0.0]))


@misdeed("memorykit_embedding_vector")
def store_a_vector_that_lies_about_its_dimension():
    return insert(embedding_of(active(), vector=[1.0, 0.0]))


@misdeed("memorykit_embedding_vector")
def store_a_zero_vector():
    return insert(embedding_of(active(), vector=[0.0, 0.0, 0.0]))


@misdeed("memorykit_embedding_unique")
def store_two_vectors_of_one_profile():
    record = active()
    embedding_of(record).save(force_insert=True)
    return insert(embedding_of(record))


@misdeed("memorykit_source_unique")
def name_one_source_twice():
    record = active()
    source_of(record).save(force_insert=True)
    return insert(source_of(record))


@misdeed("memorykit_revision_version")
def write_two_revisions_of_one_version():
    raw("ALTER TABLE memorykit_revision DISABLE TRIGGER memorykit_revision_insert")()
    return insert(revision_of(active(), action="create"))


# Values of the row


@misdeed("memorykit_memory_one_active")
def make_a_second_record_active():
    active()
    return change(memory("The office is in Porto."), state="active")


@misdeed("memorykit_memory_erased_is_empty")
def keep_words_in_an_erased_row():
    return change(active(), state="erased")


@misdeed("memorykit_memory_state")
def invent_a_state():
    raw("ALTER TABLE memorykit_memory DISABLE TRIGGER memorykit_memory_insert")()
    return copy(memory(), state="archived")


@misdeed("memorykit_memory_kind")
def invent_a_kind():
    return copy(memory(), kind="rumour")


@misdeed("memorykit_memory_validity")
def end_before_the_start():
    return change(active(), valid_until=at(-1))


@misdeed("memorykit_memory_importance")
def be_too_important():
    return change(active(), importance=101)


@misdeed("memorykit_memory_confidence")
def be_too_sure():
    return change(active(), confidence=1.5)


@misdeed("memorykit_memory_left_as")
def be_active_and_have_left():
    raw("ALTER TABLE memorykit_memory DISABLE TRIGGER memorykit_memory_update")()
    return change(active(), left_as="active")


# Jobs, keys, grants, receipts, scopes


def pending_job() -> Job:
    active()
    job_id = jobs.enqueue(kind=JobKind.EXTRACT, scope_id=SCOPE.id, target_id=uuid4())
    return Job.objects.get(pk=job_id)


@misdeed("memorykit_job_one_pending")
def ask_for_the_same_work_twice():
    return copy(pending_job())


@misdeed("memorykit_job_state")
def invent_a_job_state():
    return copy(pending_job(), state="zombie", target_id=uuid4())


@misdeed("memorykit_job_lease")
def hold_a_lease_without_an_end():
    return copy(pending_job(), state="leased", lease_owner="me")


@misdeed("memorykit_job_finished")
def finish_at_no_time():
    return copy(pending_job(), state="completed")


@misdeed("memorykit_job_failure_code")
def fail_in_free_words():
    return copy(pending_job(), failure_code="it said: password", target_id=uuid4())


@misdeed("memorykit_idempotency_key")
def answer_one_request_twice():
    memory(idempotency_key="same")
    return copy(Idempotency.objects.in_scope(SCOPE).get())


@misdeed("memorykit_fingerprint_unique")
def block_one_text_twice():
    erased()
    return copy(Fingerprint.objects.in_scope(SCOPE).get())


@misdeed("memorykit_fingerprint_update", "memorykit_fingerprint_lift")
def lift_a_block_as_a_machine():
    erased()
    rows = Fingerprint.objects.in_scope(SCOPE)
    return lambda: rows.update(lifted_at=Now(), lifted_by="system:sweep")


@misdeed("memorykit_fingerprint_no_delete")
def delete_a_fingerprint():
    erased()
    return raw("DELETE FROM memorykit_fingerprint")


@misdeed("memorykit_erasure_receipt_first")
def write_a_second_receipt():
    erased()
    return copy(ErasureReceipt.objects.in_scope(SCOPE).get())


@misdeed("memorykit_erasure_receipt_no_change")
def change_a_receipt():
    erased()
    return raw("UPDATE memorykit_erasure_receipt SET actor = 'person:9'")


@misdeed("memorykit_scope_update", "memorykit_scope_fixed")
def open_a_closed_scope():
    active()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)
    return lambda: ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=None)


@misdeed("memorykit_scope_update", "memorykit_scope_fixed")
def move_a_scope_to_another_tenant():
    active()
    return lambda: ScopeRecord.objects.filter(pk=SCOPE.id).update(tenant_id="other")


@misdeed("memorykit_scope_parts_unique")
def make_a_scope_twice():
    active()
    return copy(ScopeRecord.objects.get())


@misdeed("memorykit_profile_dimension_range")
def make_a_profile_without_numbers():
    active()
    return insert(Profile(name="none", dimension=0, created_at=NOW))


def host_key() -> HostKey:
    active()
    return host_keys.create(
        name="k", tenant_id="acme", projects=["red"], capabilities=[Capability.READ], now=NOW
    )[0]


@misdeed("memorykit_host_key_review_has_user")
def let_nobody_review():
    return copy(host_key(), prefix="other", capabilities=["review"])


@misdeed("memorykit_host_key_prefix_key")
def share_a_prefix():
    return copy(host_key())


@misdeed("memorykit_grant_unique")
def grant_twice():
    active()
    user = get_user_model().objects.create_user("reviewer")
    ReviewerGrant(user=user, tenant_id="acme", subject_id="red").save()
    return insert(ReviewerGrant(user=user, tenant_id="acme", subject_id="red"))


# Closed scopes


def in_a_closed_scope(prepare: Callable[[], Act]) -> Act:
    """Prepare an act in an open scope, and close the scope before it is done."""
    act = prepare()
    ScopeRecord.objects.filter(pk=SCOPE.id).update(closed_at=NOW)
    return act


@misdeed("memorykit_memory_open", "memorykit_scope_closed")
def correct_in_a_closed_scope():
    return in_a_closed_scope(lambda: change(active(), content="Other words.", content_hash="h"))


@misdeed("memorykit_memory_open", "memorykit_scope_closed")
def activate_in_a_closed_scope():
    return in_a_closed_scope(lambda: change(memory(), state="active"))


@misdeed("memorykit_transcript_open", "memorykit_scope_closed")
def hand_a_transcript_to_a_closed_scope():
    active()
    transcript = Transcript(
        id=uuid4(), scope_id=SCOPE.id, messages=[], message_count=0, created_at=NOW
    )
    return in_a_closed_scope(lambda: insert(transcript))


@misdeed("memorykit_job_open", "memorykit_scope_closed")
def ask_for_work_in_a_closed_scope():
    return in_a_closed_scope(lambda: copy(pending_job(), target_id=uuid4()))


@misdeed("memorykit_idempotency_open", "memorykit_scope_closed")
def answer_a_request_in_a_closed_scope():
    memory(idempotency_key="same")
    row = Idempotency.objects.in_scope(SCOPE).get()
    return in_a_closed_scope(lambda: copy(row, key_digest="other"))


@misdeed("memorykit_source_parent_insert", "memorykit_scope_closed")
def attach_a_source_in_a_closed_scope():
    return in_a_closed_scope(lambda: insert(source_of(active())))


@misdeed("memorykit_term_parent_insert", "memorykit_scope_closed")
def index_in_a_closed_scope():
    return in_a_closed_scope(
        lambda: raw("INSERT INTO memorykit_term VALUES ('w', 1, %s, %s)", active().pk, SCOPE.id)
    )


@misdeed("memorykit_embedding_parent_insert", "memorykit_scope_closed")
def embed_in_a_closed_scope():
    return in_a_closed_scope(lambda: insert(embedding_of(active())))


# Feedback, and what a model may never do


def feedback_on(record: Memory, **changes: object) -> Feedback:
    columns = {
        "id": uuid4(),
        "scope_id": SCOPE.id,
        "memory_id": record.pk,
        "actor": "host:1",
        "verdict": "useful",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Feedback(**(columns | changes))


def given_feedback() -> Feedback:
    row = feedback_on(active())
    row.save(force_insert=True)
    return row


@misdeed("memorykit_feedback_verdict")
def say_something_of_ones_own_as_feedback():
    return insert(feedback_on(active(), verdict="splendid"))


@misdeed("memorykit_feedback_unique")
def vote_twice():
    return copy(given_feedback())


@misdeed("memorykit_feedback_memory_fk")
def judge_a_record_of_another_scope():
    return insert(feedback_on(active(scope=OTHER)))


@misdeed("memorykit_feedback_parent_insert", "memorykit_parent_living")
def judge_an_erased_record():
    return insert(feedback_on(erased()))


@misdeed("memorykit_feedback_parent_update", "memorykit_scope_closed")
def judge_anew_in_a_closed_scope():
    row = given_feedback()
    return in_a_closed_scope(
        lambda: lambda: Feedback.objects.in_scope(SCOPE).filter(pk=row.pk).update(verdict="wrong")
    )


@misdeed("memorykit_feedback_update", "memorykit_feedback_fixed")
def put_a_verdict_into_anothers_mouth():
    row = given_feedback()
    return lambda: Feedback.objects.in_scope(SCOPE).filter(pk=row.pk).update(actor="host:2")


@misdeed("memorykit_memory_extracted")
def start_what_was_extracted_as_active():
    return copy(memory(key="other.key"), provenance="agent_extracted", state="active")


def next_by_a_model(record: Memory, action: str, **changes: object) -> Act:
    """Take a step, with its true revision, in the name of a model."""

    def act() -> None:
        change(record, **changes)()
        now_is = fresh(record)
        revision_of(
            now_is, action=action, actor="model:u-1", snapshot=revisions.snapshot(now_is, [])
        ).save(force_insert=True)

    return act


@misdeed("memorykit_revision_model")
def let_a_model_activate_its_own_candidate():
    return next_by_a_model(memory(by=MODEL), "activate", state="active")


@misdeed("memorykit_revision_model")
def let_a_model_correct_what_an_operator_wrote():
    return next_by_a_model(active(), "correct", content="Other words.", content_hash="h")


@misdeed("memorykit_revision_model")
def let_a_model_forget_what_a_person_activated():
    record = memory(by=MODEL)
    memories.activate(record.pk, asked(1))
    return next_by_a_model(fresh(record), "forget", state="inactive", left_as="active")
