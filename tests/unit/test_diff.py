"""What changed between two texts, in the units that a reader reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain import diff
from memorykit_app.domain.diff import Change

TEXT = st.text(max_size=200)
MIXED = st.text(alphabet="ab 12.,\n中文あア'é\u200b", max_size=120)


def changes(old, new):
    return [(part.change.value, part.text) for part in diff.compare(old, new).parts]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("We ship on 2026-03-01.", ["We", " ", "ship", " ", "on", " ", "2026-03-01", "."]),
        ("1,200.50 or 12%", ["1,200.50", " ", "or", " ", "12%"]),
        ("it's v2", ["it's", " ", "v", "2"]),
        ("在里斯本1200人", ["在", "里", "斯", "本", "1200", "人"]),
        ("abc中文", ["abc", "中", "文"]),
        ("カタ", ["カ", "タ"]),
        ("", []),
    ],
)
def test_units_are_words_characters_and_whole_numbers(text, units):
    assert diff.tokens(text) == units


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "The office is in Porto.",
            "The office is in Lisbon.",
            [
                ("same", "The office is in "),
                ("removed", "Porto"),
                ("added", "Lisbon"),
                ("same", "."),
            ],
        ),
        (
            "共1200人",
            "共1350人",
            [("same", "共"), ("removed", "1200"), ("added", "1350"), ("same", "人")],
        ),
        ("same", "same", [("same", "same")]),
        ("", "new", [("added", "new")]),
        ("old", "", [("removed", "old")]),
        ("", "", []),
    ],
)
def test_a_change_is_told_in_whole_units(old, new, expected):
    assert changes(old, new) == expected


def test_changes_that_only_a_space_parts_are_told_as_one():
    assert changes("in red paint", "in blue ink") == [
        ("same", "in "),
        ("removed", "red paint"),
        ("added", "blue ink"),
    ]


def test_a_line_end_keeps_changes_apart():
    assert len(changes("red\npaint", "blue\nink")) == 5


def test_one_lone_chinese_character_is_no_landmark():
    assert changes("红的门", "蓝的窗") == [("removed", "红的门"), ("added", "蓝的窗")]


def test_texts_beyond_the_limit_are_cut_and_it_is_said():
    long = "x " * diff.MAX_CHARS

    found = diff.compare(long, "y " + long)

    assert found.cut
    assert found.changed
    assert not diff.compare("a", "a").changed


@given(TEXT | MIXED, TEXT | MIXED)
def test_either_side_can_be_read_off_the_parts(old, new):
    found = diff.compare(old, new)

    assert "".join(part.text for part in found.old) == old
    assert "".join(part.text for part in found.new) == new
    assert not any(part.change is Change.ADDED for part in found.old)


@given(TEXT | MIXED)
def test_a_text_is_like_itself(text):
    assert diff.similarity(text, text) == 1.0
    assert "".join(diff.tokens(text)) == text


def test_likeness_lies_between_nothing_and_all():
    assert diff.similarity("The OFFICE is  in Lisbon.", "the office is in lisbon.") == 1.0
    assert 0.5 < diff.similarity("The office is in Lisbon.", "The office is in Porto.") < 1.0
    assert diff.similarity("abc", "xyz") == 0.0
