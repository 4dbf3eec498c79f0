"""Feedback: one code per actor and record, counted for reviewers, gone with the record."""

from __future__ import annotations

import pytest

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import AccessDenied, MemoryNotFound
from memorykit_app.models import Feedback, Verdict, sealed
from memorykit_app.services import erasure, feedback
from tests.agents import READER, call, run, told
from tests.records import NOW, OPERATOR, OTHER, SCOPE, active, asked, at, memory

pytestmark = pytest.mark.django_db
PROPOSER = Principal(actor="host:one", capabilities=frozenset({Capability.PROPOSE}))


def give(record, verdict, by=PROPOSER, now=NOW, **changes):
    return feedback.give(record.pk, verdict, scope=SCOPE, by=by, now=now, **changes)


def counts(*records):
    return feedback.counts([record.pk for record in records], scope=SCOPE, by=OPERATOR)


def test_verdicts_are_counted_and_a_later_one_replaces_the_earlier():
    record, other = active(), active(key="other")
    give(record, Verdict.USEFUL)
    give(record, Verdict.USEFUL, by=OPERATOR)
    give(record, Verdict.WRONG, now=at(5))
    give(record, Verdict.NOT_USEFUL, actor="model:u-1")

    assert counts(record, other) == {
        record.pk: {Verdict.USEFUL: 1, Verdict.NOT_USEFUL: 1, Verdict.WRONG: 1},
        other.pk: dict.fromkeys(Verdict, 0),
    }
    with sealed(SCOPE):
        row = Feedback.objects.in_scope(SCOPE).get(actor="host:one")
    assert (row.created_at, row.updated_at) == (NOW, at(5))


def test_only_what_agents_see_can_be_judged():
    for record in (
        memory(),
        active(scope=OTHER),
        active(key="later", valid_from=at(60)),
        active(key="over", valid_from=at(-60), valid_until=at(-1)),
    ):
        with pytest.raises(MemoryNotFound):
            give(record, Verdict.USEFUL)


def test_who_gives_and_who_counts_is_authorized():
    record = active()
    with pytest.raises(AccessDenied):
        give(record, Verdict.USEFUL, by=READER)
    with pytest.raises(AccessDenied):
        feedback.counts([record.pk], scope=SCOPE, by=PROPOSER)


def test_an_erase_takes_feedback_along_and_counts_it():
    record = active()
    give(record, Verdict.USEFUL)

    assert erasure.preview(record.pk, scope=SCOPE, by=OPERATOR)["feedback"] == 1
    receipt = erasure.erase(record.pk, asked(1, reason="request"))

    assert receipt.counts["feedback"] == 1
    with sealed(SCOPE):
        assert not Feedback.objects.in_scope(SCOPE).exists()


def test_the_tool_speaks_for_the_model_of_its_user():
    record = active()

    result = call("memory_feedback", memory_id=str(record.pk), verdict="wrong")
    unknown = call("memory_feedback", memory_id=str(SCOPE.id), verdict="wrong")
    call("memory_feedback", memory_id=str(record.pk), verdict="useful",
         by_run=run(write_intent=False, user_id="", run_id=""))  # fmt: skip

    assert told(result) == {"id": str(record.pk), "verdict": "wrong"}
    assert told(unknown) == {"found": False}
    with sealed(SCOPE):
        actors = set(Feedback.objects.in_scope(SCOPE).values_list("actor", flat=True))
    assert actors == {"model:u-1", run().by.actor}
