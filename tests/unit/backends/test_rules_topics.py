"""Keys: stable for a thing whose value changes, and never empty."""

from __future__ import annotations

import pytest

from memorykit_app.backends import rules_topics


@pytest.mark.parametrize(
    ("subject", "whole", "key"),
    [
        ("staging", "staging runs in region eu-west-1", "staging.region"),
        ("staging", "staging now runs in region us-east-2", "staging.region"),
        ("the port", "the port is 80", "network.port"),
        ("Mara", "Mara owns payments", "mara.owner"),
        ("the bike", "the bike is a Trail 3", "bike"),
        ("C++/CLI", "C++/CLI is fast", "cpp-cli"),
        ("the", "the of", "note"),
        ("测试环境", "测试环境部署在杭州", "测试环境.location"),
        ("我们", "我们", "note"),
    ],
)
def test_the_key_names_the_thing_and_what_is_told_of_it(subject, whole, key):
    assert rules_topics.key(subject, whole) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Postgres in prod", "production.database"),
        ("Postgres on staging", "staging.database"),
        ("Postgres", "database.engine"),
        ("生产数据库", "生产环境.database"),
        ("the blue packaging", "blue-packaging"),
        ("it", "note"),
    ],
)
def test_a_statement_without_a_subject_is_named_by_its_topic_and_place(text, key):
    assert rules_topics.topic(text) == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("tabs over spaces", "preference.indentation"),
        ("plain words", "preference.plain-words"),
        ("it", "preference.general"),
    ],
)
def test_a_taste_is_named_by_what_it_is_about(text, key):
    assert rules_topics.preference(text) == key


def test_a_key_has_at_most_80_characters():
    long = " ".join(f"{letter * 60}" for letter in "abc")

    assert len(rules_topics.words(long)) <= 80
