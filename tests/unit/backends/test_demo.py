"""The demo transcripts: exactly which drafts the rule extractor makes of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memorykit_app.backends.rules import FLAG_CHANGED, FLAG_OUTSIDE, RuleExtractor
from memorykit_app.domain.limits import Limits
from memorykit_app.domain.states import Kind
from memorykit_app.domain.transcript_format import parse

DEMO = Path(__file__).resolve().parents[3] / "project" / "demo"
NOW = datetime(2026, 3, 10, tzinfo=UTC)
BEIJING = timedelta(hours=8)

DECISION, CONSTRAINT, LESSON, FACT = Kind.DECISION, Kind.CONSTRAINT, Kind.LESSON, Kind.FACT
DRAFTS = {
    "orchard": [
        (3, DECISION, "harvest-schedule.database", "The team decided to keep the harvest"),
        (5, FACT, "weather-feed.location", "The weather feed lives at feeds.meadow-weather"),
        (9, CONSTRAINT, "pesticide-records-deleted", "Pesticide records must never be deleted"),
        (11, FACT, "staging.region", "Staging runs in region eu-west-1."),
        (17, LESSON, "readiness-probe-asks", "The root cause was the readiness probe: it asks"),
        (18, FACT, "orchard-api.port", "The Orchard API listens on port 8085 since"),
        (26, DECISION, "sensor-events.queue", "The team decided to go with Redis Streams for"),
        (34, FACT, "preference.priya.commits", "Priya prefers diffs in small commits, one"),
        (38, FACT, "staging.region", "Staging now runs in region eu-central-1."),
        (42, LESSON, "flaky-import-test", "The flaky import test depended on the time zone"),
        (43, FACT, "pilot-farms.schedule", "The pilot with the three farms starts on 7 April."),
        (43, FACT, "contact", "Ingrid Solberg is the contact for the farms."),
        (45, CONSTRAINT, "schema-changes", "No schema changes until 2026-03-06, the auditors"),
    ],
    "chaye": [
        (3, DECISION, "订单数据.database", "团队决定把订单数据放进 PostgreSQL，不再用"),
        (5, FACT, "支付回调服务.port", "支付回调服务的端口是 8090。"),
        (9, CONSTRAINT, "用户.手机号", "用户的手机号必须加密保存，不能出现在日志里。"),
        (11, FACT, "测试环境.location", "测试环境部署在杭州节点。"),
        (17, LESSON, "镜像仓库.证书过期", "根本原因是镜像仓库的证书过期了，节点拉不到镜像。"),
        (18, FACT, "证书", "证书每年三月换一次。"),
        (24, DECISION, "商品.search", "团队决定用 PostgreSQL 自带的全文检索做商品搜索。"),
        (32, FACT, "preference.何岚.commits", "何岚喜欢先看结论，再看改动清单。"),
        (36, FACT, "测试环境.location", "测试环境现在部署在上海节点。"),
        (40, LESSON, "优惠券.金额", "优惠券的金额一定要用整数分来算，浮点数"),
        (42, FACT, "春茶专场.date", "春茶专场的上线时间是 4 月 2 日。"),
        (42, FACT, "春茶专场.owner", "春茶专场的负责人是沈知秋。"),
        (44, CONSTRAINT, "改表结构", "到 2026-03-06 之前不要改表结构，审计在拷贝数据库。"),
        (46, DECISION, "物流查询", "物流查询改用顺路达的接口，老的那家这个月停。"),
    ],
    "support": [
        (3, FACT, "order.number", "Rosa's order number is LB-20417."),
        (3, FACT, "bike", "Rosa's bike is a Lumen Trail 3."),
        (11, CONSTRAINT, "battery-charged-degrees", "The battery must never be charged below 0"),
        (13, FACT, "delivery.address", "Rosa's delivery address is 8 Harbour Row, Leith."),
        (28, LESSON, "old-firmware-read", "The old firmware read the cold sensor wrong."),
        (30, FACT, "preference.rosa.contact", "Rosa prefers email over phone calls."),
        (38, DECISION, "winter-check", "Rosa is going with the winter check on 19 March."),
        (40, FACT, "delivery.address", "From 1 April Rosa's delivery address is 31 Fern"),
        (42, CONSTRAINT, "call", "Nobody may call Rosa before 16:00, Rosa teaches in"),
        (44, FACT, "customer.number", "Rosa's customer number is C-88130."),
    ],
}
# What must stay out: a secret, an order hidden in a tool result, a joke, a thing not to keep.
TRAPS = {
    "orchard": ("AKIAFAKE", "collect@", "goats", "knee surgery", "Kafka"),
    "chaye": ("AKIAFAKE", "shouji@", "占卜", "看病", "Elasticsearch"),
    "support": ("hunter2", "full refund", "hamster", "changing jobs", "new battery"),
}
# The key whose value changes during the talk, with the word of its later value.
CHANGES = {
    "orchard": ("staging.region", "eu-central-1"),
    "chaye": ("测试环境.location", "上海"),
    "support": ("delivery.address", "Fern Street"),
}
names = pytest.mark.parametrize("name", list(DRAFTS))


def messages_of(name):
    return parse((DEMO / f"{name}.jsonl").read_bytes(), limits=Limits())


def drafts_of(name):
    return RuleExtractor().extract(messages_of(name), now=NOW, limit=100)


@names
def test_the_demo_gives_exactly_these_drafts(name):
    expected = DRAFTS[name]

    drafts = drafts_of(name)

    found = [
        (draft.message_index, draft.kind, draft.key, draft.content[: len(want[3])])
        for draft, want in zip(drafts, expected, strict=False)
    ]
    assert found == expected
    assert len(drafts) == len(expected)


@names
def test_every_quote_stands_in_its_message(name):
    messages = messages_of(name)

    drafts = drafts_of(name)

    assert all(draft.quote in messages[draft.message_index].text for draft in drafts)


@names
def test_the_traps_are_in_the_demo_and_never_in_a_draft(name):
    said = " ".join(message.text for message in messages_of(name))

    drafts = " ".join(f"{d.key} {d.content} {d.quote}" for d in drafts_of(name))

    assert all(trap in said for trap in TRAPS[name])
    assert not any(trap in drafts for trap in TRAPS[name])


@names
def test_a_fact_that_changes_ends_on_its_later_value_under_the_same_key(name):
    key, later = CHANGES[name]

    earlier_draft, later_draft = (draft for draft in drafts_of(name) if draft.key == key)

    assert FLAG_CHANGED in earlier_draft.flags
    assert FLAG_CHANGED not in later_draft.flags
    assert later in later_draft.content
    assert later not in earlier_draft.content


def test_the_demo_dates_follow_the_day_on_which_they_were_said():
    drafts = {draft.key: draft for name in DRAFTS for draft in drafts_of(name)}

    until_friday, before_friday = drafts["schema-changes"], drafts["改表结构"]
    moves = drafts["delivery.address"]

    assert until_friday.valid_until == datetime(2026, 3, 7, tzinfo=UTC)
    assert before_friday.valid_until == datetime(2026, 3, 6, tzinfo=UTC) - BEIJING
    assert moves.valid_from == datetime(2026, 4, 1, tzinfo=UTC)


def test_what_a_tool_said_is_flagged_and_less_sure():
    drafts = {draft.key: draft for draft in drafts_of("support")}

    assert FLAG_OUTSIDE in drafts["battery-charged-degrees"].flags
    assert drafts["battery-charged-degrees"].confidence < 0.5


@names
def test_each_demo_has_30_to_60_messages(name):
    assert 30 <= len(messages_of(name)) <= 60
