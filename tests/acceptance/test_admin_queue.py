"""The queue: what waits, for whom, in which order, and what it says when nothing does."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memorykit_app.domain.drafts import SourceRef
from memorykit_app.services import memories
from tests.desk import decide, desk_settings, person, text_of, url
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


def test_a_candidate_of_a_granted_project_waits_in_the_queue(desk):
    record = memory("The office is in Lisbon.")

    page = text_of(desk.get(url("queue")))

    assert "The office is in Lisbon." in page
    assert url("item", record.pk) in page
    assert "1 waiting" in page


def test_a_candidate_of_another_project_is_not_there_nor_counted(desk):
    memory("Their office is in Oslo.", scope=OTHER)

    page = text_of(desk.get(url("queue")))

    assert "Oslo" not in page
    assert "0 waiting" in page
    assert "All caught up." in page


def test_without_a_grant_nothing_is_shown_to_a_superuser_either(client):
    memory("The office is in Lisbon.")
    client.force_login(person("root", roles=(), projects=(), is_superuser=True))

    page = text_of(client.get(url("queue")))

    assert "Lisbon" not in page
    assert "no project is assigned to you" in page


def test_a_superuser_with_a_grant_for_every_project_sees_them(client):
    memory("Their office is in Oslo.", scope=OTHER)
    client.force_login(person("root", roles=(), projects=("*",), is_superuser=True))

    assert "Oslo" in text_of(client.get(url("queue")))


def test_the_staff_flag_alone_is_refused(client):
    client.force_login(person("new", roles=()))

    response = client.get(url("queue"))

    assert response.status_code == 403
    assert "memorykit.view_memory" in text_of(response)


def test_nobody_gets_in_without_logging_in(client):
    response = client.get(url("queue"))

    assert response.status_code == 302
    assert "/login/" in response["Location"]


def test_flagged_ones_come_first_then_replacing_ones_then_by_waiting_time(desk):
    clean = memory("Clean words.", key="a.clean")
    active("Old words.", key="b.taken")
    replacing = memory("Newer words.", key="b.taken")
    flagged = memory("Outside words.", key="c.flagged", flags=("outside_text",))

    rows = desk.get(url("queue")).context["rows"]

    assert [row.id for row in rows] == [flagged.pk, replacing.pk, clean.pk]
    assert [row.priority.level for row in rows] == ["high", "medium", "low"]


def test_a_mild_flag_is_medium(desk):
    memory(flags=("hedged",))

    assert desk.get(url("queue")).context["rows"][0].priority.level == "medium"


def test_the_flagged_view_leaves_clean_ones_out(desk):
    memory("Clean words.", key="a")
    flagged = memory("Outside words.", key="b", flags=("outside_text",))

    rows = desk.get(url("queue"), {"view": "flagged"}).context["rows"]

    assert [row.id for row in rows] == [flagged.pk]


def test_scope_and_kind_narrow_the_queue(client):
    client.force_login(person(projects=("red", "blue")))
    memory("Red words.")
    blue = memory("Blue words.", scope=OTHER)

    by_scope = client.get(url("queue"), {"scope": OTHER.id}).context["rows"]
    by_kind = client.get(url("queue"), {"kind": "lesson"})

    assert [row.id for row in by_scope] == [blue.pk]
    assert "2 wait in all." in text_of(by_kind)


def test_a_project_that_was_not_granted_is_refused_as_a_filter(desk):
    assert desk.get(url("queue"), {"scope": OTHER.id}).status_code == 403


def test_a_broken_filter_is_a_clear_refusal(desk):
    response = desk.get(url("queue"), {"scope": "everything"})

    assert response.status_code == 400
    assert "scope" in text_of(response)


def test_the_search_text_goes_by_post_and_stands_in_no_link(desk):
    memory("The office is in Lisbon.", key="office.city")
    memory("The coffee is from Peru.", key="coffee.bean")

    response = desk.post(url("queue"), {"q": "coffee"})
    page = text_of(response)

    assert [row.key for row in response.context["rows"]] == ["coffee.bean"]
    assert "q=coffee" not in page
    assert len(desk.get(url("queue"), {"q": "coffee"}).context["rows"]) == 2


def test_long_queues_have_pages_and_a_search_keeps_its_text_between_them(desk):
    for number in range(27):
        memory(f"Words number {number}.", key=f"word.{number}")

    first = desk.get(url("queue"))
    second = desk.get(url("queue"), {"page": 2})
    found = desk.post(url("queue"), {"q": "Words number", "page": 2})

    assert len(first.context["rows"]) == 25
    assert len(second.context["rows"]) == len(found.context["rows"]) == 2
    assert "Next page" in text_of(first)
    assert 'name="q" value="Words number"' in text_of(found)


def test_decisions_stand_under_decided_and_under_mine(desk):
    record = memory("The office is in Lisbon.")
    other = memory("The coffee is from Peru.", key="coffee.bean")
    memories.dismiss(other.pk, asked(1, reason="duplicate", seconds=-0.0))
    decide(desk, record, "activate")

    decided = text_of(desk.get(url("queue"), {"view": "decided"}))
    mine = text_of(desk.get(url("queue"), {"view": "mine"}))

    assert "Activated" in decided
    assert "Dismissed" in decided
    assert "Duplicate" in decided
    assert "Lisbon" in mine
    assert "Peru" not in mine
    assert "kim" in mine


def test_expired_ones_can_be_found_until_they_are_reopened(desk):
    record = memory("The office is in Lisbon.")
    expired = memories.expire(record.pk, asked(1, seconds=0, reason="candidate_ttl"))

    listed = text_of(desk.get(url("queue"), {"view": "expired"}))
    decide(desk, expired, "restore")
    reopened = text_of(desk.get(url("queue"), {"view": "expired"}))

    assert "Lisbon" in listed
    assert "Nobody decided in time" in listed
    assert "Lisbon" not in reopened
    assert "Lisbon" in text_of(desk.get(url("queue")))


def test_the_last_decision_can_be_undone_from_the_queue_by_its_maker_only(desk, client):
    record = memory()
    decide(desk, record, "dismiss")

    mine = desk.get(url("queue"), {"done": str(record.pk)}).context["undo"]
    unknown = desk.get(url("queue"), {"done": str(uuid4())}).context["undo"]
    nonsense = desk.get(url("queue"), {"done": "nonsense"}).context["undo"]
    client.force_login(person("lee"))
    theirs = client.get(url("queue"), {"done": str(record.pk)}).context["undo"]

    assert (mine.verb, mine.version) == ("restore", 2)
    assert unknown is None
    assert nonsense is None
    assert theirs is None


def test_hostile_text_is_inert_in_the_list(desk):
    memory(
        "<script>alert(1)</script> \u202eevil\u200b",
        key="<b>key</b>",
        sources=(SourceRef(kind="note", ref="<i>"),),
    )

    page = text_of(desk.get(url("queue")))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\u202e" not in page
    assert "RLO" in page
    assert "ZWSP" in page
    assert "<b>key" not in page


def test_the_page_asks_few_questions_of_the_database(desk, django_assert_max_num_queries):
    for number in range(12):
        memory(f"Words number {number}.", key=f"word.{number}", flags=("hedged",))

    # The test's own transaction adds two savepoints.
    with django_assert_max_num_queries(12 + 2):
        desk.get(url("queue"))


def test_ages_are_told_in_words(desk, settings):
    memory("Long ago.", key="late", now=NOW.replace(year=2030, month=12, day=20))
    memory("Very long ago.", key="soon", now=NOW.replace(year=2030, month=10, day=6))

    rows = {row.key: row.age.tone for row in desk.get(url("queue")).context["rows"]}

    assert rows == {"late": "late", "soon": "soon"}
