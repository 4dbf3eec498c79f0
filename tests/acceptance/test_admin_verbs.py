"""The verbs of the desk: one POST each, on the version that was shown."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session

from memorykit_app.domain.states import State
from memorykit_app.services import memories
from tests.desk import decide, desk_settings, person, text_of, url
from tests.records import OTHER, active, asked, at, fresh, history, memory

pytestmark = pytest.mark.django_db
EVERY_ROLE = ("lead", "privacy officer")
STARTS = {
    "activate": (State.CANDIDATE, State.ACTIVE),
    "dismiss": (State.CANDIDATE, State.INACTIVE),
    "forget": (State.ACTIVE, State.INACTIVE),
    "hold": (State.ACTIVE, State.ACTIVE),
    "pin": (State.ACTIVE, State.ACTIVE),
}


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def user():
    return person(roles=EVERY_ROLE)


@pytest.fixture
def desk(client, user):
    client.force_login(user)
    return client


@pytest.mark.parametrize("verb", STARTS)
def test_a_verb_does_what_it_says_and_is_written_down(desk, user, verb):
    start, end = STARTS[verb]
    record = memory(state=start)

    response = decide(desk, record, verb, note="as agreed")

    assert response.status_code == 302
    assert fresh(record).state == end
    last = history(record)[-1]
    assert (last.action, last.actor, last.note) == (verb, f"person:{user.pk}", "as agreed")


@pytest.mark.parametrize(("verb", "back"), [("hold", "release"), ("pin", "unpin")])
def test_hold_and_pin_can_be_taken_back(desk, verb, back):
    record = active()
    decide(desk, record, verb)

    response = decide(desk, record, back, version=2)

    assert response.status_code == 302
    assert not fresh(record).held
    assert not fresh(record).pinned
    assert history(record)[-1].action == back


def test_undo_of_an_activation_brings_both_records_back(desk):
    old = active("The office is in Porto.")
    record = memory("The office is in Lisbon.")
    decide(desk, record, "activate", replaces=f"{old.pk}:1")
    assert fresh(old).state == State.INACTIVE

    response = decide(desk, record, "revert", version=2)

    assert response["Location"].startswith(url("item", record.pk))
    assert fresh(record).state == State.CANDIDATE
    assert fresh(old).state == State.ACTIVE


def test_dismissed_and_forgotten_ones_come_back(desk):
    candidate, known = memory(key="k.1"), active(key="k.2")
    decide(desk, candidate, "dismiss")
    decide(desk, known, "forget")

    decide(desk, candidate, "restore", version=2)
    decide(desk, known, "restore", version=2)

    assert fresh(candidate).state == State.CANDIDATE
    assert fresh(known).state == State.ACTIVE


def test_a_refusal_without_a_reason_is_recorded_as_other(desk):
    record = memory()

    decide(desk, record, "dismiss")

    assert history(record)[-1].reason == "other"


def test_a_reason_is_recorded_where_something_is_refused_and_nowhere_else(desk):
    dismissed, activated = memory(key="k.1"), memory(key="k.2")

    decide(desk, dismissed, "dismiss", reason="duplicate")
    decide(desk, activated, "activate", reason="duplicate")

    assert history(dismissed)[-1].reason == "duplicate"
    assert history(activated)[-1].reason == ""


def test_an_unknown_reason_is_refused_and_the_note_is_kept(desk):
    record = memory()

    response = decide(desk, record, "dismiss", reason="because", note="my own words")

    assert response.status_code == 400
    assert "my own words" in text_of(response)
    assert fresh(record).version == 1


def test_the_next_candidate_comes_after_a_decision_and_the_queue_after_the_last(desk):
    record, following = memory(key="k.1"), memory(key="k.2")

    onward = decide(desk, record, "activate", next=str(following.pk))
    last = decide(desk, following, "dismiss")

    assert onward["Location"].startswith(url("item", following.pk))
    assert f"done={record.pk}" in onward["Location"]
    assert last["Location"].startswith(url("queue"))


def test_an_old_version_is_a_409_with_the_own_words_kept(desk):
    record = memory(now=at(-9_000))
    memories.dismiss(record.pk, asked(1, seconds=-7_200))

    response = decide(desk, record, "activate", reason="unclear", note="my own words")
    page = text_of(response)

    assert response.status_code == 409
    assert "changed after it was shown to you" in page
    assert "Dismissed by operator reviewer 2\xa0hours ago." in page
    assert "my own words" in page
    assert 'name="version" value="2"' in page
    assert fresh(record).state == State.INACTIVE


def test_a_replaced_record_that_changed_meanwhile_is_a_409_with_the_new_diff(desk):
    old = active("The office is in Porto.")
    record = memory("The office is in Lisbon.")
    newer = active("The office is in Rome.")
    assert fresh(old).state == State.INACTIVE

    response = decide(desk, record, "activate", replaces=f"{old.pk}:1")
    page = text_of(response)

    assert response.status_code == 409
    assert "Rome" in page
    assert f'name="replaces" value="{newer.pk}:1"' in page
    assert fresh(record).state == State.CANDIDATE
    assert fresh(newer).state == State.ACTIVE


def test_a_form_that_is_sent_twice_is_one_decision(desk):
    record = memory()

    first, second = decide(desk, record, "activate"), decide(desk, record, "activate")

    assert first.status_code == second.status_code == 302
    assert first["Location"] == second["Location"]
    assert len(history(record)) == 2


def test_another_persons_same_decision_is_still_a_409(desk, client):
    record = memory()
    decide(desk, record, "dismiss")
    client.force_login(person("lee"))

    response = decide(client, record, "dismiss")

    assert response.status_code == 409
    assert "Dismissed by kim" in text_of(response)


def test_a_verb_that_does_not_start_here_is_a_409(desk):
    record = active()

    response = decide(desk, record, "dismiss")

    assert response.status_code == 409
    assert "not possible any more" in text_of(response)


def test_a_taken_key_stops_a_restore(desk):
    old = active("The office is in Porto.")
    decide(desk, old, "forget")
    active("The office is in Lisbon.")

    response = decide(desk, old, "restore", version=2)

    assert response.status_code == 409
    assert "Another active record holds this kind and key" in text_of(response)


def test_a_note_with_a_secret_is_refused(desk):
    record = memory()

    response = decide(desk, record, "dismiss", note="AKIA is the key")

    assert response.status_code == 400
    assert "refused note by the rule secret" in text_of(response)
    assert fresh(record).version == 1


@pytest.mark.parametrize("verb", ["activate", "dismiss", "forget", "hold", "pin", "restore"])
def test_without_the_permission_of_the_verb_a_direct_post_is_refused(client, verb):
    client.force_login(person("val", roles=("viewer",)))
    record = memory() if verb in ("activate", "dismiss") else active()
    if verb == "restore":
        record = memories.forget(record.pk, asked(1, seconds=0))

    response = decide(client, record, verb)

    assert response.status_code == 403
    assert f"memorykit.{verb}_memory" in text_of(response)
    assert fresh(record).version == record.version


def test_nobody_activates_what_they_proposed_by_a_direct_post(desk, user):
    record = memory(source_agent_id=f"person:{user.pk}")

    response = decide(desk, record, "activate")

    assert response.status_code == 403
    assert fresh(record).state == State.CANDIDATE


def test_a_superuser_without_a_grant_finds_nothing_to_decide(client):
    client.force_login(person("root", roles=(), projects=(), is_superuser=True))
    record = memory()

    assert decide(client, record, "activate").status_code == 404
    assert fresh(record).state == State.CANDIDATE


def test_a_record_of_another_project_is_not_found(desk):
    other = memory(scope=OTHER)

    assert decide(desk, other, "dismiss").status_code == 404
    assert decide(desk, memory(memory_id=uuid4()), "polish").status_code == 404


def test_verbs_come_by_post_only(desk):
    record = memory()

    assert desk.get(url("decide", record.pk, "activate")).status_code == 405
    assert fresh(record).version == 1


def test_a_post_needs_its_token(user):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    record = memory()

    assert decide(strict, record, "activate").status_code == 403
    assert fresh(record).version == 1


def test_decisions_leave_no_word_in_the_admin_log_or_the_session(desk):
    record = memory("The office is in Lisbon.", key="office.city")
    decide(desk, record, "activate", note="see the mail")

    stored = "".join(str(one.get_decoded()) for one in Session.objects.all())

    assert not LogEntry.objects.exists()
    assert "Lisbon" not in stored
    assert "office.city" not in stored
    assert "see the mail" not in stored


def test_a_single_permission_is_enough_for_its_verb(client):
    user = person("solo", roles=("viewer",))
    user.user_permissions.add(Permission.objects.get(codename="dismiss_memory"))
    client.force_login(user)
    record = memory()

    page = client.get(url("item", record.pk))

    assert [button.verb for button in page.context["buttons"]] == ["dismiss"]
    assert decide(client, record, "dismiss").status_code == 302


@pytest.mark.parametrize("path", ["add/", "{id}/change/", "{id}/delete/", "{id}/history/"])
def test_the_stock_forms_are_not_there(desk, path):
    record = memory()
    base = url("memory_changelist")

    response = desk.get(base + path.format(id=record.pk))

    assert response.status_code == 404
