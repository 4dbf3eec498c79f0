"""Tokens: the estimate against exact counts, and the exact counter where it is installed."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.backends.tokens import EstimatingTokenCounter, TiktokenCounter
from memorykit_app.domain.errors import BackendError

# Each text with its tokens in cl100k_base and o200k_base, counted once with both.
EXACT = [
    (
        "The release is cut on Thursdays; hotfixes may go out on any day after two people agreed.",
        22,
        21,
    ),
    (
        "We decided to keep PostgreSQL because nobody wanted to operate a second database.",
        14,
        15,
    ),
    ("Anna's birthday is on 14 March 1987, and she doesn't like surprises (really!).", 21, 20),
    ("发布前必须运行全部测试，并由两位同事确认结果。", 18, 15),
    ("用户喜欢用简体中文回答，不要使用表情符号。", 22, 15),
    ("我们决定把数据库从 MySQL 迁移到 PostgreSQL 18。", 16, 16),
    (
        "def count(self, text: str) -> int:\n"
        "    return sum(len(word) // 7 for word in text.split())\n",
        26,
        26,
    ),
    (
        "SELECT id, content FROM memorykit_memory"
        " WHERE scope_id = $1 AND state = 'active' LIMIT 10;",
        24,
        24,
    ),
    (
        "const { data, error } = await"
        " fetchJson(`/v1/projects/${projectId}/recall`, { method: 'POST' });",
        26,
        28,
    ),
    ('{"id":"01a22b45-54d7-7a4d-89e7-470df9f24df7","kind":"fact","key":"office.city"}', 39, 39),
    ("🙂🙃😀 great work 🎉🎉🎉", 18, 12),
    ("👩‍👩‍👧‍👦 family 👍🏽", 24, 15),
    ("I ❤️ this ✨ so much 🥰🥰", 14, 12),
    ("🇩🇪🇯🇵🇨🇳", 18, 12),
    ("リリース前にテストを実行して、結果を共有してください。", 22, 17),
    # Traditional and classical Chinese, rare names, characters that few texts hold.
    ("臺灣繁體中文測試：請於發布前執行全部測試，並由兩位同事確認結果，避免顯示錯誤。", 63, 36),
    (
        "孟子見梁惠王。王曰：叟不遠千里而來，亦將有以利吾國乎？齊宣王問曰：齊桓、晉文之事可得聞乎？",
        72,
        50,
    ),
    ("王曌、李頔、张喆、刘翀、陈旻昱、赵婧祎、郭羿辰", 41, 32),
    ("龘靐齉爩鱻麤龗灪厵爨癵籱饢驫鲡鸝虋讟钃鸜", 47, 41),
    ("𠮷𠀀𠂇𡃁𢆡𣎴𤭢𥄫𦧲𨋢", 38, 39),
    ("憂鬱な薔薇の蜃気楼、邂逅と齟齬、躊躇", 39, 29),
    ("ｱｲｳｴｵｶﾞｷﾞ", 18, 15),
    ("프로젝트의 데이터베이스는 포스트그레스를 사용합니다. 회의는 매주 목요일입니다.", 35, 24),
    ("뷁쀍꿿뚫훼쉙퀗쬸", 23, 20),
]


@pytest.mark.parametrize(("text", "older", "newer"), EXACT)
def test_the_estimate_is_at_most_a_tenth_too_low_and_never_wild(text, older, newer):
    estimated = EstimatingTokenCounter().count(text)

    assert estimated >= 0.9 * max(older, newer)
    assert estimated <= 2.2 * max(older, newer)


@given(first=st.text(max_size=60), second=st.text(max_size=60))
def test_any_text_has_a_count_and_more_text_never_costs_less(first, second):
    counter = EstimatingTokenCounter()

    assert counter.count("") == 0
    assert counter.count(first + "\n" + second) >= counter.count(first)


def installed(monkeypatch, get_encoding) -> None:
    module: Any = ModuleType("tiktoken")
    module.get_encoding = get_encoding
    monkeypatch.setitem(sys.modules, "tiktoken", module)


class Letters:
    def encode(self, text, *, disallowed_special):
        assert disallowed_special == ()
        return list(text)


def test_the_exact_counter_asks_the_named_encoding_once(monkeypatch):
    asked = []
    installed(monkeypatch, lambda name: asked.append(name) or Letters())
    counter = TiktokenCounter("cl100k_base")

    assert [counter.count("<|endoftext|>"), counter.count("")] == [13, 0]
    assert asked == ["cl100k_base"]


def test_an_encoding_that_cannot_be_had_is_a_defect_without_the_text(monkeypatch):
    def offline(name):
        raise OSError("no route")

    installed(monkeypatch, offline)

    with pytest.raises(BackendError) as refusal:
        TiktokenCounter().count("secret words")

    assert not refusal.value.recoverable
    assert "secret" not in str(refusal.value)


def test_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("memorykit_app.backends.tokens.find_spec", lambda name: None)
    assert "pip install tiktoken" in TiktokenCounter().problems()[0]

    monkeypatch.setattr("memorykit_app.backends.tokens.find_spec", lambda name: object())
    assert TiktokenCounter().problems() == []
