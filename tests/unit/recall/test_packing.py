"""Packing: never over the budget, skips what does not fit, and says what that was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.recall.packing import canonical, pack


@dataclass(frozen=True)
class Entry:
    memory_id: UUID
    tokens: int


def entries(*costs: int, start: int = 1) -> list[Entry]:
    return [Entry(UUID(int=number), cost) for number, cost in enumerate(costs, start=start)]


def costs(found) -> list[int]:
    return [entry.tokens for entry in found]


def test_what_does_not_fit_is_skipped_and_a_smaller_one_still_goes_in():
    packed = pack(entries(5, 9, 4), items=9, tokens=10)

    assert costs(packed.kept) == [5, 4]
    assert costs(packed.too_large) == [9]


def test_it_stops_at_the_most_items_and_reads_no_further():
    endless = (Entry(UUID(int=number), 1) for number in range(1, 1_000_000_000))

    packed = pack(endless, items=3, tokens=10)

    assert len(packed.kept) == 3
    assert next(endless).memory_id.int == 4


def test_the_first_ones_come_first_count_and_are_not_repeated():
    pinned = entries(3)
    packed = pack(
        [*entries(2, start=7), *pinned, *entries(6, start=9)], items=9, tokens=10, first=pinned
    )

    assert costs(packed.kept) == [3, 2]
    assert costs(packed.too_large) == [6]


def test_what_costs_nothing_always_fits():
    assert costs(pack(entries(10, 0), items=5, tokens=10).kept) == [10, 0]


def test_the_cost_is_counted_over_canonical_json():
    text = canonical(
        UUID(int=1), kind="fact", key="k", content='字 "quoted"', source_refs=["b", "a", "b"]
    )

    assert json.loads(text) == {
        "id": str(UUID(int=1)),
        "kind": "fact",
        "key": "k",
        "content": '字 "quoted"',
        "source_refs": ["a", "b"],
    }
    assert "字" in text


@given(
    sizes=st.lists(st.integers(0, 30), max_size=30),
    pinned=st.lists(st.integers(0, 30), max_size=5),
    items=st.integers(1, 12),
    tokens=st.integers(1, 100),
)
def test_packing_keeps_its_promises(sizes, pinned, items, tokens):
    best_first = entries(*sizes, start=100)
    first = entries(*pinned)
    packed = pack(best_first, items=items, tokens=tokens, first=first)
    offered = [*first, *best_first]

    # never over either budget
    assert len(packed.kept) <= items
    assert sum(costs(packed.kept)) <= tokens
    # order is kept, nothing is made up, nothing twice
    assert list(packed.kept) == [entry for entry in offered if entry in packed.kept]
    assert not set(packed.kept) & set(packed.too_large)
    # each one is kept, named, or came after the last item that went in
    seen = len(packed.kept) + len(packed.too_large)
    assert {*packed.kept, *packed.too_large} == set(offered[:seen])
    assert seen == len(offered) or len(packed.kept) == items
    # what was left out really did not fit
    for entry in packed.too_large:
        before = offered[: offered.index(entry)]
        assert entry.tokens > tokens - sum(kept.tokens for kept in packed.kept if kept in before)
