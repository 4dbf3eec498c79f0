"""Recall: each channel finds what it should, and nothing that is not there for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import AccessDenied, InvalidMemory, ScopeRequired
from memorykit_app.domain.states import Kind
from memorykit_app.models import sealed
from memorykit_app.recall import statements
from memorykit_app.services import correction, drain, erasure, memories
from memorykit_app.services.correction import Correction
from tests.recalling import ask, contents, ids, known, policy
from tests.records import NOW, OTHER, SCOPE, active, asked, at, memory

pytestmark = pytest.mark.django_db
LISBON = "The office is in Lisbon."
HOST = Principal(actor="host:agent-1", capabilities=frozenset({Capability.READ}))


@pytest.fixture(autouse=True)
def patient():
    with policy():
        yield


def test_an_asked_key_is_found_exactly_and_case_counts():
    record = active(LISBON, key="office.city")

    found = ask(keys=("office.city",))

    assert ids(found) == [record.pk]
    assert found.items[0].ranks == {"exact": 1}
    assert not ask(keys=("Office.City",)).items


def test_what_stands_beside_a_hit_in_its_source_is_brought_along():
    def said(place: int) -> tuple[SourceRef, ...]:
        return (SourceRef(kind="transcript", ref="talk", message_index=place),)

    question = active("Where is the office then?", key="a", sources=said(4))
    answer = active("It moved to Porto.", key="b", sources=said(5))
    active("Nobody likes the lift.", key="c", sources=said(7))
    off = {"BEFORE_WEIGHT": 0.0, "AFTER_WEIGHT": 0.0, "ANSWER_WEIGHT": 0.0}

    found = ask("office")

    assert ids(found) == [question.pk, answer.pk]
    assert [dict(item.ranks) for item in found.items] == [{"full_text": 1}, {}]
    assert ids(ask(keys=("a",))) == [question.pk]
    with policy(**off):
        assert ids(ask("office")) == [question.pk]


def test_what_stands_beside_a_hit_must_be_active_and_effective_too():
    place = (SourceRef(kind="transcript", ref="talk", message_index=4),)
    question = active("Where is the office then?", key="a", sources=place)
    active("It moved to Porto.", key="b", sources=place, valid_from=at(100))
    memory("It moved to Lisbon.", key="c", sources=place)
    gone = active("It moved to Rome.", key="d", sources=place)
    memories.forget(gone.pk, asked(1))

    assert ids(ask("office")) == [question.pk]


def test_words_find_a_record_without_its_vector():
    record = active(LISBON)

    found = ask("Where is the Lisbon office?")

    assert ids(found) == [record.pk]
    assert found.items[0].ranks == {"full_text": 1}
    assert found.degraded == ()


def test_a_vector_finds_a_record_that_shares_no_asked_term():
    (record, _) = known(LISBON, "Builds run on Tuesdays.")

    with policy(FULL_TEXT_LIMIT=0):
        found = ask("office in Lisbon")

    assert found.items[0].memory_id == record.pk
    assert found.items[0].ranks == {"vector": 1}


def test_three_channels_agree_and_say_so():
    (record, *_) = known(LISBON, "Builds run on Tuesdays.", "The lift is broken.")

    found = ask("office in Lisbon", keys=("note.0",), explain=True)

    assert found.items[0].memory_id == record.pk
    assert found.items[0].ranks == {"exact": 1, "full_text": 1, "vector": 1}
    assert found.explained[0].outcome == "kept"
    assert set(found.explained[0].channel_scores) == {"exact", "full_text", "vector"}
    assert found.policy == "test-1"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("发布前必须运行 go test ./... 验证项目记忆。", "项目记忆 go test"),
        ("使用PostgreSQL数据库保存记录。", "postgresql"),
        ("リリース前にテスト実行が必要です。", "テスト実行はいつ必要ですか"),
        ("데이터베이스 백업은 매주 한다.", "백업은 언제"),
        ("The key is build.test_command here.", "test_command"),
    ],
)
@pytest.mark.parametrize("preset", ["balanced-v1", "matched-terms-v1"])
def test_words_of_every_script_are_found(text, question, preset):
    record = active(text)
    active("Nothing of the kind 无关 関係ない.", key="other")

    with policy(preset):
        found = ask(question)

    assert found.items[0].memory_id == record.pk
    assert "full_text" in found.items[0].ranks


def test_the_matched_terms_rule_keeps_more_than_half_of_the_best():
    best = active("运行 go test ./... 验证项目记忆", key="a")
    active("项目使用 go", key="b")
    active("记忆需要审核", key="c")
    active("deploy path", key="d")

    with policy("matched-terms-v1"):
        found = ask("项目记忆 go test", explain=True)

    assert ids(found) == [best.pk]
    assert found.items[0].score == pytest.approx(1 / 61)
    assert found.explained[0].channel_scores["full_text"] == 5


def test_ranks_of_two_channels_add_up_as_the_rule_says():
    (record, _) = known(LISBON, "Builds run on Tuesdays.")

    with policy("matched-terms-v1"):
        found = ask("office Lisbon")

    assert found.items[0].memory_id == record.pk
    assert found.items[0].score == pytest.approx(2 / 61)


def test_candidates_and_inactive_records_are_never_recalled():
    proposed = memory(LISBON, key="a")
    gone = active("The old office was in Lisbon.", key="b")
    drain.drain()
    memories.forget(gone.pk, asked(1))

    assert proposed.state == "candidate"
    for question in ("office Lisbon", ""):
        assert not ask(question, keys=("a", "b")).items


def test_a_record_is_recalled_only_while_it_is_valid():
    start, end = NOW, NOW + timedelta(days=1)
    known(LISBON, valid_from=start, valid_until=end)

    def seen(moment):
        return bool(ask("office Lisbon", keys=("note.0",), now=moment).items)

    assert not seen(start - timedelta(seconds=1))
    assert seen(start)
    assert seen(end - timedelta(microseconds=1))
    assert not seen(end)


def test_what_was_valid_then_is_for_reviewers():
    known(LISBON, valid_from=NOW, valid_until=NOW + timedelta(days=1))
    later = NOW + timedelta(days=9)

    assert not ask("office Lisbon", now=later).items
    assert contents(ask("office Lisbon", now=later, as_of=NOW)) == [LISBON]
    with pytest.raises(AccessDenied):
        ask("office Lisbon", by=HOST, now=later, as_of=NOW)
    assert not ask("office Lisbon", by=HOST, now=later).items


def test_another_scope_answers_nothing():
    known(LISBON)

    assert not ask("office Lisbon", scope=OTHER, keys=("note.0",)).items
    with sealed(OTHER):
        assert contents(ask("office Lisbon")) == [LISBON]
    with pytest.raises(ScopeRequired):
        ask("office Lisbon", scope=None)


def test_kinds_leave_out_the_others():
    fact = active(LISBON, key="a", kind=Kind.FACT)
    decision = active("We decided on Lisbon.", key="a", kind=Kind.DECISION)
    drain.drain()

    assert set(ids(ask("Lisbon", keys=("a",)))) == {fact.pk, decision.pk}
    assert ids(ask("Lisbon", keys=("a",), kinds=("decision",))) == [decision.pk]


def test_a_corrected_record_is_found_by_its_new_words_only():
    (record,) = known(LISBON)
    correction.correct(
        record.pk,
        asked(1),
        Correction(
            content="The office is in Porto.",
            valid_from=NOW,
            valid_until=None,
            importance=0,
            confidence=0.0,
            sources=(),
        ),
    )

    # given a vector of the old words
    with policy(FULL_TEXT_LIMIT=0):
        assert not ask("office Lisbon").items
    assert not ask("Lisbon").items
    assert contents(ask("Porto")) == ["The office is in Porto."]

    drain.drain()
    with policy(FULL_TEXT_LIMIT=0):
        assert contents(ask("office Porto")) == ["The office is in Porto."]


def test_an_erased_record_is_gone_from_every_channel():
    (record,) = known(LISBON)
    with policy():
        erasure.erase(record.pk, asked(1))

    assert not ask("office Lisbon", keys=("note.0",), always_on=True).items


def test_the_budget_narrows_and_what_does_not_fit_is_named():
    long, short = known("Lisbon office " * 200, "Lisbon office hours.")

    found = ask("Lisbon office", tokens=200)

    assert ids(found) == [short.pk]
    assert [(entry.memory_id, entry.reason) for entry in found.dropped] == [(long.pk, "tokens")]
    assert len(ask("Lisbon office", items=1).items) == 1
    assert sum(item.tokens for item in found.items) <= 200


def test_wishes_never_widen_the_policy():
    known(*(f"Lisbon office number {number}." for number in range(4)))

    with policy(ITEMS=2, TOKENS=10_000):
        assert len(ask("Lisbon", items=50, tokens=10**9).items) == 2


def test_pinned_records_come_first_when_they_are_asked_for():
    weak, strong = known("Answer in British English.", LISBON)
    memories.pin(weak.pk, asked(1))

    assert ids(ask("Lisbon"))[0] == strong.pk
    assert ids(ask("Lisbon", always_on=True))[:2] == [weak.pk, strong.pk]
    assert ids(ask("Lisbon", always_on=True, items=1)) == [weak.pk]
    with policy(PINNED_ITEMS=0):
        assert ids(ask("Lisbon", always_on=True))[0] == strong.pk


def test_ties_go_by_importance_then_change_then_id():
    light = active("Lisbon.", key="aa", importance=1)
    late = active("Lisbon.", key="bb", importance=5, now=at(9))
    early = active("Lisbon.", key="cc", importance=5)

    with policy(FOLD=0.0):
        found = ask("Lisbon", keys=("aa", "bb", "cc"), now=at(10))

    assert ids(found) == [late.pk, early.pk, light.pk]


def test_a_floor_lets_nothing_weak_through():
    known(LISBON)

    with policy(FLOOR=1.0, FUSION="rrf"):
        found = ask("office", explain=True)

    assert not found.items
    assert {entry.outcome for entry in found.explained} == {"floor"}


@pytest.mark.parametrize(
    "text",
    [
        "%",
        "_",
        "a' OR 1=1 --",
        '"quoted" & | ! ( ) :*',
        "<->",
        "\\",
        "🙂🙂🙂",
        "…。！",
        "x",
        "字",
        "{a,b}",
        "'" * 50,
        "word " * 10_000,
        " ".join(f"w{number}" for number in range(10_000)),
        "%s %(scope)s",
        "\u202e\u200b",
        "\t\n",
    ],
)
@pytest.mark.parametrize("preset", ["balanced-v1", "matched-terms-v1"])
def test_any_text_has_an_answer_and_is_never_a_wildcard(text, preset):
    active("Plain sentences stand here.")
    question = {"text": text} if text.strip() else {"text": text, "keys": ("none",)}

    with policy(preset):
        found = ask(**question)

    assert not found.items
    assert found.degraded == ()


def test_a_question_larger_than_the_policy_is_refused_by_name():
    with policy(QUERY_CHARS=10, KEYS=1):
        with pytest.raises(InvalidMemory) as long:
            ask("word " * 3)
        with pytest.raises(InvalidMemory) as many:
            ask(keys=("a", "b"))

    assert (long.value.field, many.value.field) == ("text", "keys")


def test_who_may_not_read_gets_nothing():
    known(LISBON)

    assert contents(ask("Lisbon", by=HOST)) == [LISBON]
    with pytest.raises(AccessDenied):
        ask("Lisbon", by=Principal(actor="host:agent-2"))


def test_a_scope_that_nobody_used_is_empty():
    assert ask("anything", scope=SCOPE).items == ()


def test_an_answer_takes_one_statement_for_the_ranks_and_one_for_the_words(monkeypatch):
    active("The office is in Lisbon.", key="office.city")
    sent = []
    real = statements.execute

    def counted(statement, params, *, limit_ms):
        sent.append(statement)
        return real(statement, params, limit_ms=limit_ms)

    monkeypatch.setattr(statements, "execute", counted)

    found = ask(text="Lisbon office", keys=("office.city",))

    assert [item.key for item in found.items] == ["office.city"]
    assert len(sent) == 2
