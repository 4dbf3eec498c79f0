"""The shipped conformance suite, run against memorykit's own store."""

from __future__ import annotations

import pytest

from memorykit_app.domain.errors import Conflict
from memorykit_app.testing import lifecycle
from memorykit_app.testing.store import ServiceStore

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("case", lifecycle.CASES, ids=lambda case: case.__name__)
def test_the_services_conform(case):
    case(ServiceStore())


class Forgetful(ServiceStore):
    """A store that takes every replay for a first call and erases nothing."""

    def create(self, draft, asked, *, state, memory_id, idempotency_key):
        return super().create(draft, asked, state=state, memory_id=memory_id, idempotency_key="")

    def erase(self, memory_id, asked):
        pass


@pytest.mark.parametrize(
    "case",
    [
        lifecycle.an_identical_replay_has_no_effect,
        lifecycle.an_erase_takes_words_sources_and_snapshots,
    ],
)
def test_a_store_that_does_wrong_is_found_out(case):
    with pytest.raises((AssertionError, Conflict)):
        case(Forgetful())


def test_a_refusal_that_does_not_come_is_found_out():
    with pytest.raises(AssertionError, match="Conflict was not raised"):
        lifecycle.refused(Conflict, lambda: None)
