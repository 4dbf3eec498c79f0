"""Chinese rules: decisions, lessons, preferences, constraints and facts of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_chinese_facts, rules_topics
from memorykit_app.backends.rules_chinese_cues import (
    DECISION,
    FINDING,
    MECHANISM,
    NO_RULE,
    RULE,
    TASTE,
)
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_OPENER = re.compile(
    r"(?:好的?|嗯+|对了?|哦|哦对|那么?|行|明白|收到|了解|太好了|另外|还有|顺便说一句|顺便|先说一下|说一下|补充一点"
    r"|更正(?:一下)?|纠正(?:一下)?|更新(?:一下)?|已?记下了?|总之|其实|运维通知|通知"
    r"|还有一条[^，：:]{0,8}|我是[^，。]{1,6}|跟(?:你|大家)说一下|提醒一下"
    r"|查了半天"
    r"|同意|(?:大家|各位)(?:好|注意)?|早上好|你好)[，,：:、 ]+"
)
_EXPLICIT = re.compile(
    r"(?:请|麻烦|务必|一定要?)?(?:记住|记一下|记下来?|注意|牢记|备忘)(?:一下)?[，,：: ]+"
)
_DECISION_LABEL = re.compile(r"(?:最终|最后的?)?(?:决定|方案|结论|决议|拍板了?|定了)[：:]\s*")
_LESSON_LABEL = re.compile(r"(?:这次的?|血的)?(?:教训|经验|踩坑|踩过坑|心得)(?:是)?[：:，]\s*")


def statements(sentence: str) -> Iterator[Statement]:
    """Yield what a sentence states, the strongest reading only; facts once per clause."""
    start, explicit, label = _begin(sentence)
    body = sentence[start:].rstrip("，, 吧啊哦呢啦")
    if len(body) < 4:
        return
    kind = label or _kind(body)
    if kind is Kind.DECISION:
        yield Statement(kind, _decision_key(body), body, start, 70, 0.85, explicit)
    elif kind is Kind.LESSON:
        yield Statement(kind, _lesson_key(body), body, start, 60, 0.8, explicit)
    elif kind is Kind.CONSTRAINT:
        yield Statement(kind, _rule_key(body), body, start, 75, 0.8, explicit)
    elif taste := TASTE.search(body):
        what = next(value for value in taste.groups() if value)
        key = rules_topics.preference(what)
        yield Statement(Kind.FACT, key, body, start, 55, 0.85, explicit, taste=True)
    else:
        yield from rules_chinese_facts.facts(body, start, explicit)


def _kind(body: str) -> Kind | None:
    """Return what `body` is by its cues; None when it is a preference or a fact, if anything."""
    if FINDING.search(body):
        return Kind.LESSON
    if TASTE.search(body):
        return None
    if DECISION.search(body):
        return Kind.DECISION
    if MECHANISM.search(body):
        return Kind.LESSON
    return Kind.CONSTRAINT if RULE.search(body) and not NO_RULE.search(body) else None


def _begin(sentence: str) -> tuple[int, bool, Kind | None]:
    start, explicit, label = 0, False, None
    for _ in range(5):
        if found := _EXPLICIT.match(sentence, start):
            start, explicit = found.end(), True
        elif found := _DECISION_LABEL.match(sentence, start):
            start, label = found.end(), Kind.DECISION
        elif found := _LESSON_LABEL.match(sentence, start):
            start, label = found.end(), Kind.LESSON
        elif found := _OPENER.match(sentence, start):
            start = found.end()
        else:
            break
    return start, explicit, label


def _decision_key(body: str) -> str:
    purpose = re.search(
        r"(?:做|来做|作为)([^，。]{2,12})$|把([^，。]{2,12}?)(?:放|换|改|迁|存|搬)", body
    )
    if purpose:
        return rules_topics.key(purpose[1] or purpose[2], body)
    found = DECISION.search(body)
    before = body[: found.start()] if found else ""
    before = re.sub(r"从[^，]*$|^(?:我们|咱们|会上|那)$", "", before)
    if len(before.strip("，, ")) > 1:
        return rules_topics.key(before.strip("，, "), body)
    after = body[found.end() :].strip("，, 了") if found else ""
    return rules_topics.topic(after or body)


def _lesson_key(body: str) -> str:
    found = FINDING.search(body)
    rest = body[found.end() :].strip("，：: ") if found else ""
    return rules_topics.words(rest if len(rest) > 4 else body)


def _rule_key(body: str) -> str:
    lead = found.end() if (found := rules_chinese_facts.DATE_LEAD.match(body)) else 0
    first = body[lead:].lstrip("，, ").split("，")[0]
    return rules_topics.words(first if len(first) > 4 else body[lead:])
