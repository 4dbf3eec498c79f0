"""Characters: an invisible one passes where its script or picture needs it, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorykit_app.backends import validator_folding as folding
from memorykit_app.backends.validator import ContentRules

VALIDATOR = ContentRules()


def rules(text: str) -> set[str]:
    return {finding.rule for finding in VALIDATOR.findings({"content": text})}


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cروم",
        "क्\u200dष",
        "ه\u200d",
        "ประ\u200bชุม",
        "\U0001f469\u200d\U0001f4bb",
        "\U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "7\ufe0f\u20e3",
        "\u2139\ufe0f",
        "葛\U000e0100",
        "\u2229\ufe00",
        "\u1820\u180b",
        "ᠮᠠ\u180eᠠ",
        "ש\u034fׁ",
        "\u2801\u2800\u2802",
        "\u2800\u2802",
        "\u1112\u1160",
        "\u115f\u1161",
        "Straßen\u00adbau",
        "עברית \u2066(a \u2067א\u2069)\u2069",
        "שורה\nעברית \u2066a\u2069\nעוד",
        "שלום\u200f!",
        "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
        "Cường độ",
        "tab\tline\nline\r\nline",
    ],
)
def test_an_invisible_character_that_does_its_work_passes(text):
    assert rules(text) == set()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a\u200db", "invisible_character"),
        ("\u200d", "invisible_character"),
        ("\U0001f469\u200d", "invisible_character"),
        ("a\u200cb", "invisible_character"),
        ("a\u200bb", "invisible_character"),
        ("می\u200c\u200c\u200cروم", "invisible_character"),
        ("a\u034fb", "invisible_character"),
        ("a\u2800b", "invisible_character"),
        ("a\u1160b", "invisible_character"),
        ("a\u180eb", "invisible_character"),
        ("a\u2060b", "invisible_character"),
        ("\u00ada", "invisible_character"),
        ("a\u00ad", "invisible_character"),
        ("a\ufe0f", "variation_selector"),
        ("\ufe0f", "variation_selector"),
        ("\U0001f600\ufe0f\ufe0e", "variation_selector"),
        ("a\u180b", "variation_selector"),
        ("a\U000e0100", "variation_selector"),
        ("a\ufe00", "variation_selector"),
        ("a\u0301\u0302\u0303\u0304", "stacked_marks"),
        ("\U0001f3f4\U000e0041\U000e0042\U000e007f", "tag_character"),
        ("א \u2066open", "bidi_control"),
        ("א \u2066a\n\u2069", "bidi_control"),
        ("א \u2066\u2066\u2066a\u2069\u2069\u2069", "bidi_control"),
        ("א \u2069\u2066", "bidi_control"),
        ("א \u200e\u200f\u200e", "bidi_control"),
        ("\x9b1m", "terminal_escape"),
        ("\x85", "line_separator"),
        ("\U0002ffff", "noncharacter"),
        ("\ue000", "private_use"),
        ("a\u200e", "direction_mark"),
    ],
)
def test_one_that_does_no_work_is_found(text, rule):
    assert rules(text) == {rule}


@settings(deadline=None)
@given(st.text(st.characters(), max_size=80))
def test_folding_takes_any_text_and_leaves_nothing_invisible_between_letters(text):
    visible = folding.visible(text)

    assert len(folding.folded(visible)) <= 12 * len(text) + 1
    assert not {"\u200b", "\u00ad", "\u2060", "\ufeff"} & set(visible)


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.\n", max_size=200))
def test_plain_latin_text_is_left_alone(text):
    assert folding.folded(folding.visible(text)) == text


def test_look_alikes_are_read_as_latin_only_in_words_that_mix():
    assert folding.visible("\u0440ayroll") == "payroll"
    assert folding.visible("раз два") == "раз два"
    assert folding.visible("Δt") == "Δt"
