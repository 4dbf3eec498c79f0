"""The shipped conformance suite, run against memorykit's own store."""

from __future__ import annotations

import pytest

from memorykit_app.domain.errors import Conflict
from memorykit_app.testing import full_text, lifecycle
from memorykit_app.testing.store import SearchableServiceStore, ServiceStore

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


@pytest.mark.parametrize("past", [False, True], ids=["sql", "python"])
@pytest.mark.parametrize("case", full_text.CASES, ids=lambda case: case.__name__)
def test_recall_conforms_to_the_full_text_rule(case, past):
    case(SearchableServiceStore(past=past))


class Careless(SearchableServiceStore):
    """A store that keeps every match, in no order, of every scope it was asked about."""

    __slots__ = ()

    def full_text(self, question, scope):
        words = set(question.casefold().split())
        rows = self.active(scope)
        return [row.pk for row in rows if words & set(row.content.casefold().split())]


@pytest.mark.parametrize(
    "case",
    [
        full_text.more_than_half_of_the_best_is_kept,
        full_text.unspaced_script_is_found_by_its_pairs,
        full_text.the_key_is_searched_whole_and_in_its_parts,
    ],
)
def test_a_store_that_searches_carelessly_is_found_out(case):
    with pytest.raises(AssertionError):
        case(Careless())
