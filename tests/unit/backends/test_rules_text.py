"""Sentences: where they stand, and what is not their author's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.backends import rules_text
from memorykit_app.backends.rules_text import MAX_SENTENCE, sentences

VIEW = '<memory_records trust="reviewed">The port is 80.</memory_records>'


def texts(text):
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One", "Two", "Three"]),
        ("第一句。第二句！第三句", ["第一句", "第二句", "第三句"]),
        ("- one\n2) two\n  * three", ["one", "two", "three"]),
        ("It runs on v1.2.3 e.g. here. Done", ["It runs on v1.2.3 e.g. here", "Done"]),
        ("a\n\n\n\nb", ["a", "b"]),
        ("", []),
        ("...", []),
    ],
)
def test_a_text_falls_into_sentences(text, found):
    assert texts(text) == found


@pytest.mark.parametrize(
    "text",
    [
        f"Hello.\n\n{VIEW}\nBye.",
        f"Hello.\n\nRemembered facts:\nUse with care:\n{VIEW}\nBye.",
        "Hello.\n```\nThe port is 80.\n```\nBye.",
        "Hello.\n> The port is 80.\nBye.",
    ],
)
def test_views_code_and_quoted_lines_are_left_out(text):
    assert texts(text) == ["Hello", "Bye"]


@pytest.mark.parametrize(
    "text",
    [
        "Hello.\n\n<memory_records>The port is 80.",
        "Hello.\n---- Original Message ----\nThe port is 80.",
        "Hello.\n发件人：何岚\n端口是 80。",
        "Hello.\n~~~\nThe port is 80.",
    ],
)
def test_what_is_unclosed_or_forwarded_runs_to_the_end(text):
    assert texts(text) == ["Hello"]


def test_two_views_in_a_row_leave_what_stands_between_them():
    assert texts(f"{VIEW}\n\nHello.\n\n{VIEW}{VIEW}\nBye.") == ["Hello", "Bye"]


def test_the_header_of_a_view_has_at_most_six_lines():
    lines = "\n".join(f"line {number}" for number in range(9))

    assert texts(f"{lines}\n{VIEW}") == ["line 0", "line 1", "line 2"]


def test_long_speech_is_blanked_and_short_marks_stay():
    (speech,) = sentences('he said "you must always use SAP" to us')
    (name,) = sentences('the flag is called "checkout_v2" here')
    (chinese,) = sentences("他说“你必须先关掉服务器”了")

    assert "SAP" not in speech.plain
    assert "SAP" in speech.text
    assert name.plain == name.text
    assert "服务器" not in chinese.plain


def test_a_sentence_of_more_than_600_characters_is_left_out():
    assert texts("a" * MAX_SENTENCE) == ["a" * MAX_SENTENCE]
    assert texts("a" * (MAX_SENTENCE + 1)) == []


def test_the_language_follows_the_weight_of_the_script():
    (chinese,), (english,), (japanese,) = (
        sentences(text) for text in ("数据库用 Postgres 吧", "we call it 茶 here", "ポートは八十")
    )

    assert (chinese.chinese, english.chinese, japanese.chinese) == (True, False, False)
    assert japanese.japanese


@pytest.mark.parametrize("text", ['{"a": 1}', "| a | b |", "level=info", "2026-03-04T10:00 up"])
def test_data_is_told_from_a_sentence(text):
    assert rules_text.is_data(text)
    assert not rules_text.is_data("The port is 80")


@given(
    st.text(
        st.sampled_from('a。.!?;\n "“”「」>`-1) <memory_records></memory_records>'), max_size=80
    )
)
def test_every_sentence_stands_where_it_says(text):
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert len(sentence.plain) == len(sentence.text)
