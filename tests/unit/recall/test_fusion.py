"""Fusion: the worked figures of the rule, and an order that never depends on the input's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.recall.fusion import Hit, normalised_scores, reciprocal_ranks

START = datetime(2031, 1, 1, tzinfo=UTC)
EQUAL = {"exact": 1.0, "full_text": 1.0, "vector": 1.0}
A, B, C = (UUID(int=number) for number in (1, 2, 3))


def hit(memory_id: UUID, rank: int, *, score: float = 1.0, importance: int = 0, days: int = 0):
    return Hit(
        memory_id=memory_id,
        version=1,
        importance=importance,
        updated_at=START + timedelta(days=days),
        rank=rank,
        score=score,
    )


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
    found = {channel: [hit(A, rank)] for channel, rank in zip(EQUAL, ranks, strict=False)}

    (fused,) = reciprocal_ranks(found, k=60, weights=EQUAL)

    assert round(fused.score, 6) == score
    assert fused.ranks == dict(zip(EQUAL, ranks, strict=False))


def test_two_channels_beat_one_whatever_its_rank():
    found = {
        "exact": [hit(A, 1)],
        "full_text": [hit(B, 1)],
        "vector": [hit(B, 1), hit(C, 2)],
    }

    fused = reciprocal_ranks(found, k=60, weights=EQUAL)

    assert [entry.memory_id for entry in fused] == [B, A, C]


def test_weights_move_the_order():
    found = {"full_text": [hit(A, 1)], "vector": [hit(B, 1)]}

    by_words = reciprocal_ranks(found, k=60, weights=EQUAL | {"full_text": 2.0})
    by_vector = reciprocal_ranks(found, k=60, weights=EQUAL | {"vector": 2.0})

    assert [entry.memory_id for entry in by_words] == [A, B]
    assert [entry.memory_id for entry in by_vector] == [B, A]


def test_ties_go_by_importance_then_change_then_id():
    same = [hit(C, 1), hit(B, 1, days=1), hit(A, 1, importance=3), hit(UUID(int=4), 1)]
    found = {"full_text": same}

    fused = reciprocal_ranks(found, k=60, weights=EQUAL)

    assert [entry.memory_id.int for entry in fused] == [1, 2, 3, 4]


def test_scores_are_put_on_one_scale_before_they_are_added():
    found = {
        "full_text": [hit(A, 1, score=12.0), hit(B, 2, score=9.0), hit(C, 3, score=0.0)],
        "vector": [hit(B, 1, score=0.9), hit(A, 2, score=0.85), hit(C, 3, score=0.8)],
    }

    fused = normalised_scores(found, weights=EQUAL)

    assert [(entry.memory_id, round(entry.score, 3)) for entry in fused] == [
        (B, 0.875),
        (A, 0.75),
        (C, 0.0),
    ]


def test_one_hit_alone_is_the_best_there_is():
    (fused,) = normalised_scores({"full_text": [hit(A, 1, score=3.0)]}, weights=EQUAL)

    assert fused.score == 1.0


def test_nothing_found_is_nothing_fused():
    assert reciprocal_ranks({"vector": []}, k=60, weights=EQUAL) == []
    assert normalised_scores({"vector": []}, weights=EQUAL) == []


channels = st.dictionaries(
    st.sampled_from(sorted(EQUAL)),
    st.lists(st.integers(1, 20), unique=True, max_size=12).map(
        lambda numbers: [
            hit(UUID(int=number), rank, score=1 / rank, importance=number % 3, days=number % 2)
            for rank, number in enumerate(numbers, start=1)
        ]
    ),
)


def rules():
    return (
        lambda found: reciprocal_ranks(found, k=60, weights=EQUAL),
        lambda found: normalised_scores(found, weights=EQUAL),
    )


@given(found=channels, data=st.data())
def test_the_order_is_total_and_independent_of_the_input_order(found, data):
    names = data.draw(st.permutations(sorted(found)))
    mixed = {name: data.draw(st.permutations(found[name])) for name in names}

    for rule in rules():
        there = [(entry.memory_id, entry.score) for entry in rule(found)]

        assert [(entry.memory_id, entry.score) for entry in rule(mixed)] == there
        assert len({memory_id for memory_id, _ in there}) == len(there)
        assert {memory_id for memory_id, _ in there} == {
            one.memory_id for hits in found.values() for one in hits
        }
        assert [score for _, score in there] == sorted((s for _, s in there), reverse=True)


@given(found=channels)
def test_being_found_by_one_more_channel_never_hurts(found):
    if not found.get("full_text") or not found.get("vector"):
        return
    before = {
        entry.memory_id: entry.score for entry in reciprocal_ranks(found, k=60, weights=EQUAL)
    }

    more = found | {"exact": [*found.get("exact", []), *found["vector"]][:1]}
    after = {entry.memory_id: entry.score for entry in reciprocal_ranks(more, k=60, weights=EQUAL)}

    first = more["exact"][0].memory_id
    assert after[first] >= before[first] or found.get("exact")
