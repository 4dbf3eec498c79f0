"""Terms: the worked examples of the rule, every script, and texts made to break it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.terms import (
    KEY_WEIGHT,
    MAX_CHARS,
    MAX_TERMS,
    MAX_WEIGHT,
    STEM,
    asked_terms,
    terms,
    weighted_terms,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("项目记忆 go test", "项目 目记 记忆 go test"),
        ("数据库迁移", "数据 据库 库迁 迁移"),
        ("テスト実行", "テス スト ト実 実行"),
        ("Use PostgreSQL 数据库", "use postgresql 数据 据库"),
        ("which command runs tests", "which command runs tests"),
        ("使用PostgreSQL数据库", "使用 postgresql 数据 据库"),
        ("项目，记忆。使用", "项目 记忆 使用"),
        ("字", "字"),
        ("프로젝트 메모리 저장", "프로젝트 메모리 저장"),
        (
            "build.test_command Run go test ./...",
            "build.test_command build test_command test command run go",
        ),
        ("运行 go test ./... 验证项目记忆", "运行 go test 验证 证项 项目 目记 记忆"),
        ("testing.pgvector Verify", "testing.pgvector testing pgvector verify"),
        ("lesson.unreviewed", "lesson.unreviewed lesson unreviewed"),
        ("see /etc/hosts", "see etc hosts"),
        ("real-time gRPC", "real-time real time grpc"),
        ("v1.2.3", "v1.2.3 v1 2 3"),
        ("user@x.com", "user x.com x com"),
        ("STRASSE straße", "strasse"),
        ("cafe\u0301 CAFÉ", "café"),
        ("ＡＢＣ", "ａｂｃ"),
        ("Anna's don't", "anna don"),
        ("go go GO", "go"),
        ("wait...what -- _x_", "wait what x"),
        ("zero\u200dwidth \u202eturned", "zerowidth turned"),
    ],
)
def test_terms_are_those_of_the_rule(text, found):
    assert terms(text) == found.split()


@pytest.mark.parametrize("text", ["", " \n\t", "…。！?", "🙂🙃", "%", "\\", "'\"", "--", "._-"])
def test_marks_alone_are_no_terms(text):
    assert terms(text) == []
    assert asked_terms(text) == []


def test_a_question_asks_for_what_tells_something_in_its_common_form():
    assert asked_terms("Where did the reviews meet?") == [f"{STEM}review", f"{STEM}meet"]
    assert asked_terms("who is it") == [f"{STEM}who", f"{STEM}is", f"{STEM}it"]


def test_grammar_is_left_out_of_a_japanese_question_that_says_more():
    assert asked_terms("神奈川県の県庁所在地はどこですか") == [
        *("神奈", "奈川", "川県", "県庁", "庁所", "所在", "在地"),
    ]
    assert asked_terms("太郎が食べた") == ["太郎", "食べ"]
    assert asked_terms("それは何か") == ["それ", "れは", "は何", "何か"]


def test_what_is_asked_can_be_left_as_it_is():
    assert asked_terms("Where did the reviews meet?", stemmed=False) == ["reviews", "meet"]
    assert asked_terms("who meets", telling_only=False) == [f"{STEM}who", f"{STEM}meet"]


def test_a_memory_has_words_as_written_and_in_their_common_form():
    found = weighted_terms("office.city", "Offices move, offices stay.")

    assert found["offices"] == 2
    assert found[f"{STEM}offic"] == KEY_WEIGHT + 2
    assert found["city"] == KEY_WEIGHT
    assert set(asked_terms("office")) <= set(found)


def test_there_are_bounds_on_length_number_and_weight():
    assert terms("x" * 999) == ["x" * MAX_CHARS]
    assert len(weighted_terms("k", " ".join(f"w{n}" for n in range(2 * MAX_TERMS)))) == MAX_TERMS
    assert weighted_terms("k", "go " * 5_000)["go"] == MAX_WEIGHT
    assert terms("a b c d", limit=2) == ["a", "b"]


@given(text=st.text(max_size=200), key=st.text(max_size=20))
def test_what_a_text_is_written_by_is_what_it_is_asked_by(text, key):
    asked = terms(text)

    assert set(asked) | set(asked_terms(text)) <= set(weighted_terms(key, text))
    assert len(set(asked)) == len(asked)
    assert all(0 < len(term) <= MAX_CHARS for term in asked)
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))


@given(text=st.text(st.characters(categories=["Lo", "Po", "Sc", "So", "Cf", "Zs"]), max_size=60))
def test_no_term_holds_a_mark_or_a_space(text):
    assert not any(
        char.isspace() or char in "%\\'\"&|!:*()" for term in terms(text) for char in term
    )
