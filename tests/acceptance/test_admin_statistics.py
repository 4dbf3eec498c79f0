"""The statistics page: what happened in the granted scopes, as charts, tables and CSV."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorykit_app.services import memories
from tests.desk import desk_settings, person, text_of, url
from tests.records import NOW, OTHER, active, asked, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person())
    return client


def shown(client, name, **narrowed):
    page = client.get(url("statistics"), narrowed)
    chart = next(one for one in page.context["charts"] if one.name == name)
    return dict(chart.rows()), [one.word for one in chart.series]


def test_the_backlog_is_told_for_each_day(desk):
    memory("Waits since long.", key="k.1", now=NOW - timedelta(days=5))
    decided = memory("Was decided.", key="k.2", now=NOW - timedelta(days=2))
    memories.dismiss(decided.pk, asked(1, reason="one_off", seconds=0))
    memory("Of another project.", key="k.3", scope=OTHER)

    rows, words = shown(desk, "backlog", view="7")

    days = [(NOW - timedelta(days=n)).date().isoformat() for n in range(6, -1, -1)]
    assert words == ["waiting", "waiting long"]
    assert [rows[day] for day in days] == [
        ("0", "0"), ("1", "0"), ("1", "0"), ("1", "0"), ("2", "1"), ("2", "1"), ("1", "1"),
    ]  # fmt: skip


def test_what_began_before_the_period_counts_on_its_first_day(desk):
    memory("Waits since long.", now=NOW - timedelta(days=20))

    rows, _words = shown(desk, "backlog", view="7")

    assert set(rows.values()) == {("1", "1")}


def test_a_restored_candidate_waits_again(desk):
    record = memory(now=NOW - timedelta(days=1))
    memories.dismiss(record.pk, asked(1, reason="other", seconds=-3_600))
    memories.restore(record.pk, asked(2, seconds=0))

    rows, _words = shown(desk, "backlog", view="7")

    assert rows[NOW.date().isoformat()] == ("1", "0")


def test_decisions_reasons_and_times_are_counted(desk):
    first = memory(key="k.1", now=NOW - timedelta(hours=2))
    second = memory("It rains.", key="k.2", now=NOW - timedelta(hours=6))
    memories.activate(first.pk, asked(1, seconds=0))
    memories.dismiss(second.pk, asked(1, reason="duplicate", seconds=0))
    today = NOW.date().isoformat()

    decisions, words = shown(desk, "decisions")
    reasons, codes = shown(desk, "reasons")
    times, _ = shown(desk, "times")

    assert dict(zip(words, decisions[today], strict=True)) == {"Activated": "1", "Dismissed": "1"}
    assert codes == ["Duplicate"]
    assert list(reasons.values()) == [("1",)]
    assert times[today] == ("4", "5.6")


def test_an_age_falls_into_its_step(desk):
    memory(key="k.1", now=NOW - timedelta(minutes=30))
    memory("It rains.", key="k.2", now=NOW - timedelta(days=10))

    rows, _words = shown(desk, "ages")

    assert [count for (count,) in rows.values()] == ["1", "0", "0", "0", "1", "0"]


def test_a_page_can_be_narrowed_to_one_project_that_was_granted(desk, client):
    active("Of another project.", scope=OTHER)

    refused = desk.get(url("statistics"), {"scope": str(OTHER.id)})
    own = desk.get(url("statistics"))

    assert refused.status_code == 403
    assert own.context["figures"].active == 0


def test_the_page_tells_no_word_of_a_record(desk):
    memory("The office is in Lisbon.", key="office.city", flags=("hedged",))

    page = text_of(desk.get(url("statistics")))

    assert "Lisbon" not in page
    assert "office.city" not in page


def test_a_chart_is_sent_as_csv(desk):
    memory(now=NOW - timedelta(minutes=30))

    sent = desk.get(url("statistics_csv", "ages"))
    missing = desk.get(url("statistics_csv", "nothing"))

    assert sent["Content-Type"].startswith("text/csv")
    assert text_of(sent).splitlines()[:2] == [",waiting", "under 1 hour,1"]
    assert missing.status_code == 404


def test_an_empty_desk_says_so(desk):
    assert "Nothing in this period." in text_of(desk.get(url("statistics")))
