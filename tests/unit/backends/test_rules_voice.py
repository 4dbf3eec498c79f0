"""Voice: what someone said, told about them."""

from __future__ import annotations

import pytest

from memorykit_app.backends import rules_voice
from memorykit_app.domain.states import Kind


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("we use Sentry", "The team uses Sentry."),
        ("we have three shops", "The team has three shops."),
        ("we don't ship on Mondays", "The team does not ship on Mondays."),
        ("we go by train", "The team goes by train."),
        ("we catch errors early", "The team catches errors early."),
        ("we carry spare parts", "The team carries spare parts."),
        ("we pay by card", "The team pays by card."),
        ("we chose Stripe", "The team chose Stripe."),
        ("we're moving to Notion", "The team is moving to Notion."),
        ("I'm allergic to nuts", "Nora is allergic to nuts."),
        ("I can’t eat nuts", "Nora cannot eat nuts."),
        ("I've moved our desk", "Nora has moved the team's desk."),
        ("let's use Celery", "The team decided to use Celery."),
        ("turns out that the cache lied", "The cache lied."),
        ("my desk is ours", "Nora's desk is the team's."),
        ("tell us and me", "Tell the team and Nora."),
        ("you can't run it twice", "Nobody may run it twice."),
        ("you have to be on the VPN", "Everyone has to be on the VPN."),
        ("always call me Sam", "Always call Nora Sam."),
        ("ship it!", "Ship it!"),
    ],
)
def test_first_and_second_person_become_third(said, told):
    assert rules_voice.told(said, kind=Kind.FACT, name="nora", chinese=False) == told


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("我喜欢看表格", Kind.FACT, "何岚喜欢看表格。"),
        ("我们公司在杭州", Kind.FACT, "何岚所在公司在杭州。"),
        ("咱们周五发版", Kind.FACT, "团队周五发版。"),
        ("那就先用 Celery，就这么定了", Kind.DECISION, "团队决定用 Celery。"),
        ("我国法律", Kind.FACT, "我国法律。"),
    ],
)
def test_chinese_is_told_in_chinese(said, kind, told):
    assert rules_voice.told(said, kind=kind, name="何岚", chinese=True) == told


def test_a_speaker_without_a_name_is_the_user():
    english = rules_voice.told("I like tea", kind=Kind.FACT, name="", chinese=False)
    chinese = rules_voice.told("我爱喝茶", kind=Kind.FACT, name="", chinese=True)

    assert (english, chinese) == ("The user likes tea.", "用户爱喝茶。")


def test_a_name_is_plain_text_whatever_it_holds():
    told = rules_voice.told("my tea", kind=Kind.FACT, name=r"\1\g<x>", chinese=False)

    assert told == r"\1\g<x>'s tea."
