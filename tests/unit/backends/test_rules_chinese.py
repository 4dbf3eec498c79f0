"""Chinese rules: kinds of statement, one reading each, and what must not be read."""

from __future__ import annotations

import pytest

from memorykit_app.backends import rules_chinese, rules_chinese_facts
from memorykit_app.domain.states import Kind

DECISION, CONSTRAINT, LESSON, FACT = Kind.DECISION, Kind.CONSTRAINT, Kind.LESSON, Kind.FACT


def read(text):
    return [(s.kind, s.key) for s in rules_chinese.statements(text)]


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("最终方案：门刷成蓝色", DECISION, "门刷成蓝色"),
        ("我们把订单数据迁到 PostgreSQL", DECISION, "订单数据.database"),
        ("物流查询改用顺路达", DECISION, "物流查询"),
        ("我们决定用 Celery", DECISION, "messaging.queue"),
        ("就这么定了", DECISION, "这么定"),
        ("教训：先拍快照", LESSON, "拍快照"),
        ("原来是缓存键里没带租户", LESSON, "缓存键里没带租户"),
        ("气压低于 4 bar 夹爪就会卡住", LESSON, "气压低于.bar"),
        ("严禁直接推送到发布分支", CONSTRAINT, "推送到发布分支"),
        ("4 月 1 日之前，不要改表结构", CONSTRAINT, "改表结构"),
        ("我喜欢用制表符缩进", FACT, "preference.indentation"),
        ("房东姓裴", FACT, "房东"),
        ("哈沃森案的合伙人是卜思", FACT, "哈沃森案.合伙人"),
        ("运单号 1Z-5573-20", FACT, "运单号"),
        ("崂山那家店比别的晚开半小时", FACT, "崂山那家店"),
        ("二十块以下的捐款不开纸质收据", FACT, "二十块以下.捐款不"),
        ("我住在码头街 44 号", FACT, "住在码头街.号"),
        ("记住，门口有一把备用伞", FACT, "门口有一备用伞"),
    ],
)
def test_a_statement_is_read_as_one_kind_with_a_key(text, kind, key):
    ((found_kind, found_key),) = read(text)

    assert found_kind is kind
    assert found_key == key


@pytest.mark.parametrize(
    "text",
    [
        "好的",
        "我先看一下",
        "昨天来了四十个客人",
        "第 3 页的表太宽",
        "CSV 一共 1204 行",
        "会上有人说周五发版",
        "墙是白的",
        "我今天必须走",
        "今天下雨，4 月 1 日起",
    ],
)
def test_talk_of_the_moment_is_not_read(text):
    assert read(text) == []


def test_a_clause_that_goes_on_stays_with_the_fact_before_it():
    facts = list(rules_chinese_facts.facts("我们有两个仓库，一个在宁波，一个在天津", 0, False))

    assert [fact.words for fact in facts] == ["我们有两个仓库，一个在宁波，一个在天津"]


def test_a_bare_clause_is_about_what_the_first_named():
    facts = list(
        rules_chinese_facts.facts("春茶专场的上线时间是 4 月 2 日，负责人是沈知秋", 0, False)
    )

    assert [(f.about, f.words) for f in facts] == [
        ("", "春茶专场的上线时间是 4 月 2 日"),
        ("春茶专场的", "负责人是沈知秋"),
    ]


def test_a_leading_date_belongs_to_the_clause_after_it():
    facts = list(rules_chinese_facts.facts("从 4 月 1 日起，对接人是林小满", 0, False))

    assert [fact.words for fact in facts] == ["从 4 月 1 日起，对接人是林小满"]


def test_openers_in_a_row_are_skipped():
    five = "好的，嗯，对了，另外，还有，端口是 80"

    assert read(five) == [(FACT, "network.port")]
    assert read(f"明白，行，{five}") == [(FACT, "network.port")]
