"""Random lives: any sequence of verbs agrees with a model of a few lines of Python."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memorykit_app.domain.errors import Conflict
from memorykit_app.domain.states import STOPPED_BY_HOLD, State, Verb, arrow
from memorykit_app.models import ErasureReceipt, Memory, Revision, Term, sealed
from memorykit_app.services import correction, erasure, memories
from memorykit_app.services.correction import Correction
from tests.records import NOW, SCOPE, asked, at, memory

KEYS = ("office.city", "office.floor")
VERBS = {
    Verb.ACTIVATE: memories.activate,
    Verb.DISMISS: memories.dismiss,
    Verb.FORGET: memories.forget,
    Verb.EXPIRE: memories.expire,
    Verb.RESTORE: memories.restore,
    Verb.HOLD: memories.hold,
    Verb.RELEASE: memories.release,
    Verb.PIN: memories.pin,
    Verb.UNPIN: memories.unpin,
    Verb.ERASE: erasure.erase,
}


class Lives(RuleBasedStateMachine):
    """The model is a dict per memory; the services must agree with it after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.model: dict[Any, dict[str, Any]] = {}
        self.clock = 0
        self.made = 0

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.outer.__exit__(None, None, None)

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def holder(self, key: str):
        return next(
            (r for r in self.model.values() if r["state"] == "active" and r["key"] == key), None
        )

    def supersede(self, key: str) -> None:
        holder = self.holder(key)
        if holder is not None:
            holder |= {
                "state": "inactive",
                "left_as": "active",
                "version": holder["version"] + 1,
            }

    @rule(key=st.sampled_from(KEYS), active=st.booleans())
    def create(self, key: str, active: bool) -> None:
        self.made += 1
        state = State.ACTIVE if active else State.CANDIDATE
        record = memory(f"Words number {self.made}.", key=key, state=state, now=at(self.tick()))
        if active:
            self.supersede(key)
        self.model[record.pk] = {
            "key": key,
            "state": str(state),
            "left_as": "",
            "version": 1,
            "held": False,
            "pinned": False,
            "content": record.content,
        }

    @precondition(lambda self: self.model)
    @rule(data=st.data(), verb=st.sampled_from(list(VERBS)), stale=st.booleans())
    def act(self, data, verb: Verb, stale: bool) -> None:
        memory_id = data.draw(st.sampled_from(sorted(self.model)))
        expected = self.model[memory_id]
        command = asked(expected["version"] + (5 if stale else 0), seconds=self.tick())
        before = expected["state"]
        left_as = State(expected["left_as"]) if expected["left_as"] else None
        step = arrow(verb, State(before), left_as=left_as)
        repeated = verb is Verb.ERASE and before == "erased"
        taken = (
            verb is Verb.RESTORE
            and step is not None
            and step.target is State.ACTIVE
            and self.holder(expected["key"]) is not None
        )
        stopped = expected["held"] and verb in STOPPED_BY_HOLD
        if not repeated and (step is None or stale or taken or stopped):
            with pytest.raises(Conflict):
                VERBS[verb](memory_id, command)
            return
        VERBS[verb](memory_id, command)
        if repeated:
            return
        assert step is not None
        if verb is Verb.ACTIVATE:
            self.supersede(expected["key"])
        leaves = step.target is State.INACTIVE and before != "inactive"
        expected |= {
            "state": str(step.target),
            "version": expected["version"] + 1,
            "left_as": before if leaves else expected["left_as"] if before == "inactive" else "",
        }
        if step.target is not State.INACTIVE:
            expected["left_as"] = ""
        match verb:
            case Verb.HOLD | Verb.RELEASE:
                expected["held"] = verb is Verb.HOLD
            case Verb.PIN | Verb.UNPIN:
                expected["pinned"] = verb is Verb.PIN
            case Verb.ERASE:
                expected |= {"key": "", "content": "", "pinned": False}

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def correct(self, data) -> None:
        memory_id = data.draw(st.sampled_from(sorted(self.model)))
        expected = self.model[memory_id]
        self.made += 1
        words = Correction(content=f"Corrected number {self.made}.", valid_from=NOW)
        command = asked(expected["version"], seconds=self.tick())
        if expected["held"] or expected["state"] == "erased":
            with pytest.raises(Conflict):
                correction.correct(memory_id, command, words)
            return
        correction.correct(memory_id, command, words)
        expected |= {"content": words.content, "version": expected["version"] + 1}

    @invariant()
    def rows_are_as_the_model_says(self) -> None:
        with sealed(SCOPE):
            rows = {row.pk: row for row in Memory.objects.in_scope(SCOPE)}
            assert set(rows) == set(self.model)
            for memory_id, expected in self.model.items():
                row = rows[memory_id]
                assert {name: getattr(row, name) for name in expected} == expected

    @invariant()
    def the_last_revision_replays_to_the_row(self) -> None:
        with sealed(SCOPE):
            for row in Memory.objects.in_scope(SCOPE):
                history = list(
                    Revision.objects.in_scope(SCOPE).filter(memory_id=row.pk).order_by("version")
                )
                assert [r.version for r in history] == list(range(1, row.version + 1))
                last = history[-1].snapshot
                for name in last.keys() - {"sources"}:
                    value = getattr(row, name)
                    kept = last[name]
                    assert kept == (
                        value.isoformat() if hasattr(value, "isoformat") else value
                    ) or (kept == str(value))

    @invariant()
    def only_active_rows_are_searchable_and_erased_ones_have_receipts(self) -> None:
        with sealed(SCOPE):
            searchable = set(Term.objects.in_scope(SCOPE).values_list("memory_id", flat=True))
            receipts = set(
                ErasureReceipt.objects.in_scope(SCOPE).values_list("memory_id", flat=True)
            )
        states = {memory_id: row["state"] for memory_id, row in self.model.items()}
        assert searchable == {m for m, state in states.items() if state == "active"}
        assert receipts == {m for m, state in states.items() if state == "erased"}


@pytest.mark.django_db
def test_random_lives_agree_with_the_model():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        Lives,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
