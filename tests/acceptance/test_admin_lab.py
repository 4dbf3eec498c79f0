"""The recall lab: ask as an agent would, and see why each record came to its place."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from memorykit_app.models import Job
from memorykit_app.services import erasure, memories
from tests.desk import desk_settings, person, text_of, url
from tests.records import NOW, OTHER, SCOPE, active, asked, fresh, history, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person())
    return client


def ask(client, text="Where is the office?", scope=SCOPE, **more):
    return client.post(url("lab"), {"scope": str(scope.id), "text": text, **more})


def test_a_question_shows_channels_ranks_scores_and_outcome(desk):
    record = active("The office is in Lisbon.", key="office.city")

    answer = ask(desk, "Where is the office?", key="office.city")

    (line,) = answer.context["lines"]
    assert line.id == record.pk
    assert line.ranks[:2] == ("1", "1")
    assert line.kept
    assert "The office is in Lisbon." in text_of(answer)
    assert "served" in text_of(answer)


def test_nothing_found_is_said(desk):
    active("The office is in Lisbon.", key="office.city")

    assert "Nothing is recalled." in text_of(ask(desk, "zebra"))


def test_candidates_are_not_found_and_other_projects_cannot_be_asked(desk):
    memory("The office is in Porto.", key="office.city")
    active("The office is in Madrid.", key="office.place", scope=OTHER)

    own, other = ask(desk), ask(desk, scope=OTHER)

    assert own.context["lines"] == []
    assert other.status_code == 400
    assert "Madrid" not in text_of(own) + text_of(other)


def test_a_past_moment_shows_what_was_known_then(desk):
    record = active("The office is in Lisbon.", key="office.city", now=NOW - timedelta(days=3))
    memories.forget(record.pk, asked(1, seconds=0))

    now = ask(desk)
    then = ask(desk, known_at=(NOW - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M"))

    assert now.context["lines"] == []
    assert [line.id for line in then.context["lines"]] == [record.pk]


def test_an_empty_question_is_sent_back(desk):
    active()

    answer = ask(desk, " ")

    assert answer.status_code == 400
    assert "Ask something, or name a key." in text_of(answer)


def test_a_candidate_is_tried_as_if_it_were_active_and_nothing_is_kept(desk):
    held = active("The office is in Lisbon.", key="office.city")
    record = memory("The office is in Porto now.", key="office.city")
    jobs = Job.objects.count()

    answer = ask(desk, "Where is the office now?", memory=str(record.pk))

    assert [line.id for line in answer.context["lines"]] == [record.pk]
    assert "As if the candidate were active." in text_of(answer)
    assert fresh(record).state == "candidate"
    assert fresh(held).state == "active"
    assert len(history(record)) == 1
    assert Job.objects.count() == jobs


def test_a_candidate_that_may_not_be_activated_is_refused(desk, client):
    record = memory("The office is in Porto.", key="office.city")
    client.force_login(person("vera", roles=("viewer",)))

    answer = ask(client, memory=str(record.pk))

    assert answer.status_code == 400
    assert fresh(record).state == "candidate"


def test_a_record_that_is_not_there_is_not_found(desk):
    active()

    assert ask(desk, memory=str(uuid4())).status_code in (400, 404)


def test_an_erased_record_is_not_shown_from_the_past(desk):
    record = active("The office is in Lisbon.", key="office.city", now=NOW - timedelta(days=3))
    erasure.erase(record.pk, asked(1, seconds=0))

    then = ask(desk, known_at=(NOW - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M"))

    assert then.context["lines"] == []
    assert "Lisbon" not in text_of(then)


def test_the_item_page_leads_to_the_lab(desk):
    record = memory("The office is in Porto.", key="office.city")

    page = text_of(desk.get(url("item", record.pk)))

    assert "Would a question find it, were it active?" in page
    assert f'action="{url("lab")}"' in page


def test_who_was_granted_nothing_has_no_form(client):
    client.force_login(person("new", projects=()))

    page = text_of(client.get(url("lab")))

    assert "No project with records is assigned to you." in page
    assert 'name="text"' not in page
