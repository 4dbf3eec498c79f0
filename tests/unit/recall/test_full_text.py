"""Full text in Python: the worked examples of the rule, and what a weighing rule must keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.terms import terms, weighted_terms
from memorykit_app.recall.full_text import Text, bm25, matched_terms, possible

TEXTS = [
    "运行 go test ./... 验证项目记忆",
    "项目使用 go",
    "记忆需要审核",
    "deploy path",
]


def texts(*contents: str) -> dict[int, Text]:
    return {
        number: Text(weighted_terms(f"key{number}", content), len(content.encode()))
        for number, content in enumerate(contents, start=1)
    }


def test_more_than_half_of_the_best_is_kept():
    assert matched_terms(terms("项目记忆 go test"), texts(*TEXTS)) == {1: 5.0}


@pytest.mark.parametrize(("best", "least"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4)])
def test_the_least_kept_count_for_each_best_count(best, least):
    words = [f"w{letter}x" for letter in "abcdef"[:best]]
    known = texts(*(" ".join(words[:count]) for count in range(1, best + 1)))

    assert min(matched_terms(words, known).values()) == least


def test_nothing_matched_is_nothing_found():
    assert matched_terms(["nowhere"], texts(*TEXTS)) == {}
    assert bm25(["nowhere"], texts(*TEXTS), saturation=1.2, length=0.4) == {}


def test_what_is_not_shown_counts_for_idf_only():
    known = texts("lisbon office", "lisbon lift")
    hidden = {**known, 3: Text({"lisbon": 1}, 6, shown=False)}

    found = bm25(["lisbon"], hidden, saturation=1.2, length=0.4)

    assert set(found) == {1, 2}
    assert found[1] < bm25(["lisbon"], known, saturation=1.2, length=0.4)[1] * 1.2
    assert 3 not in matched_terms(["lisbon"], hidden)


def test_a_rare_term_tells_more_and_repeats_tell_less_each_time():
    known = texts("common rare", "common", "common", "common " * 9)
    score = bm25(["common", "rare"], known, saturation=1.2, length=0.0)

    assert score[1] > score[4] > score[2]
    assert score[4] < 2.2 * score[2]


words = st.lists(st.sampled_from("alpha beta gamma delta epsilon".split()), max_size=8)  # noqa: SIM905


@given(contents=st.lists(words.map(" ".join), min_size=1, max_size=8), asked=words)
def test_no_score_is_above_what_is_possible(contents, asked):
    known, wanted = texts(*contents), list(dict.fromkeys(asked))

    most = possible(wanted, known, saturation=1.2)

    for score in bm25(wanted, known, saturation=1.2, length=0.4).values():
        assert 0 < score <= most
