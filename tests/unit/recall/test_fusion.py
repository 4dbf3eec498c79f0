"""Fusion: the worked figures of the rules, and an order that never depends on the input's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.recall.fusion import (
    SPREADS,
    Beside,
    Weights,
    ordered,
    reciprocal_ranks,
    weighed_scores,
    with_bonus,
    with_context,
)
from tests.unit.recall.found import candidate, numbers, uid

CHANNELS = ("exact", "full_text", "vector")
EQUAL = Weights()


@pytest.mark.parametrize(
    ("ranks", "score"),
    [
        ((1,), 0.016393),
        ((1, 1), 0.032787),
        ((1, 2), 0.032522),
        ((2, 3), 0.032002),
        ((8, 8), 0.029412),
        ((1, 1, 1), 0.049180),
    ],
)
def test_scores_at_k_60_are_those_of_the_rule(ranks, score):
    found = [candidate(1, ranks=dict(zip(CHANNELS, ranks, strict=False)))]

    base = reciprocal_ranks(found, k=60, weights=EQUAL)

    assert round(base[uid(1)], 6) == score


def test_two_channels_beat_one_whatever_its_rank():
    found = [
        candidate(1, ranks={"exact": 1}),
        candidate(2, ranks={"full_text": 1, "vector": 1}),
        candidate(3, ranks={"vector": 2}),
    ]

    assert numbers(ordered(reciprocal_ranks(found, k=60, weights=EQUAL), found)) == [2, 1, 3]


def test_weights_move_the_order():
    found = [candidate(1, ranks={"full_text": 1}), candidate(2, ranks={"vector": 1})]

    by_words = reciprocal_ranks(found, k=60, weights=Weights(full_text=2.0))
    by_vector = reciprocal_ranks(found, k=60, weights=Weights(vector=2.0))

    assert numbers(ordered(by_words, found)) == [1, 2]
    assert numbers(ordered(by_vector, found)) == [2, 1]


def test_ties_go_by_importance_then_change_then_id():
    found = [candidate(3), candidate(2, days=1), candidate(1, importance=3), candidate(4)]

    assert numbers(ordered(dict.fromkeys(map(uid, range(1, 5)), 0.5), found)) == [1, 2, 3, 4]


def test_scores_are_brought_to_one_measure_before_they_are_added():
    found = [
        candidate(1, scores={"full_text": 12.0}, unusual=1.0),
        candidate(2, scores={"full_text": 9.0}, unusual=3.0),
        candidate(3, scores={"vector": 0.9}, unusual=-1.0),
        candidate(4, ranks={"exact": 1}),
    ]

    base = weighed_scores(found, weights=Weights(full_text=0.5, vector=0.5))

    assert base == {
        uid(1): pytest.approx(0.5 + 0.5 / SPREADS),
        uid(2): pytest.approx(0.375 + 1.5 / SPREADS),
        uid(3): pytest.approx(-0.5 / SPREADS),
        uid(4): 0.0,
    }


@pytest.mark.parametrize(
    ("beside", "share"),
    [
        (Beside(uid(1), -1), 0.5),
        (Beside(uid(1), -1, asks=True), 0.7),
        (Beside(uid(1), 1), 0.3),
        (Beside(uid(1), 1, asks=True), 0.3),
        (Beside(uid(1), 0), 0.5),
    ],
)
def test_what_stands_beside_a_hit_gets_a_share_of_it(beside, share):
    found = [candidate(1, ranks={"vector": 1}), candidate(2, beside=(beside,))]
    base = {uid(1): 2.0, uid(2): 0.1}

    after = with_context(base, found, before=0.5, after=0.3, answer=0.2)

    assert after == {uid(1): 2.0, uid(2): pytest.approx(0.1 + 2.0 * share)}


def test_the_best_neighbour_counts_and_a_weak_one_takes_nothing():
    near = (Beside(uid(1), -1), Beside(uid(2), 1), Beside(uid(9), 1))
    found = [candidate(1), candidate(2), candidate(3, beside=near)]
    weak = with_context(
        {uid(1): -3.0, uid(2): -1.0, uid(3): 0.0}, found, before=0.5, after=0.5, answer=0
    )
    good = with_context(
        {uid(1): 1.0, uid(2): 4.0, uid(3): 0.0}, found, before=0.5, after=0.5, answer=0
    )

    assert weak[uid(3)] == 0.0
    assert good[uid(3)] == 2.0


def test_a_bonus_is_added():
    found = [candidate(1, importance=50), candidate(2)]

    base = with_bonus(dict.fromkeys(map(uid, (1, 2)), 1.0), found, lambda e: e.importance / 100)

    assert base == {uid(1): 1.5, uid(2): 1.0}


def test_nothing_found_is_nothing_fused():
    assert reciprocal_ranks([], k=60, weights=EQUAL) == {}
    assert weighed_scores([], weights=EQUAL) == {}
    assert ordered({}, []) == []


candidates = st.lists(st.integers(1, 20), unique=True, max_size=12).flatmap(
    lambda ids: st.tuples(
        *(
            st.builds(
                lambda number, ranks, text, unusual, importance: candidate(
                    number,
                    ranks=ranks,
                    scores={"full_text": text},
                    unusual=unusual,
                    importance=importance,
                    beside=(Beside(uid(number % 20 + 1), 1),),
                ),
                st.just(number),
                st.dictionaries(st.sampled_from(CHANNELS), st.integers(1, 50)),
                st.floats(0, 40),
                st.floats(-4, 6),
                st.integers(0, 2),
            )
            for number in ids
        )
    )
)


def by_ranks(found):
    return ordered(reciprocal_ranks(found, k=60, weights=EQUAL), found)


def by_scores(found):
    base = weighed_scores(found, weights=EQUAL)
    return ordered(with_context(base, found, before=0.5, after=0.5, answer=0.2), found)


@pytest.mark.parametrize("rule", [by_ranks, by_scores])
@given(data=st.data())
def test_the_order_is_total_and_independent_of_the_input_order(rule, data):
    found = data.draw(candidates)
    mixed = data.draw(st.permutations(found))
    there = [(entry.memory_id, entry.score) for entry in rule(list(found))]

    assert [(entry.memory_id, entry.score) for entry in rule(mixed)] == there
    assert {memory_id for memory_id, _ in there} == {entry.memory_id for entry in found}
    assert len(there) == len(found)
    assert [score for _, score in there] == sorted((s for _, s in there), reverse=True)
