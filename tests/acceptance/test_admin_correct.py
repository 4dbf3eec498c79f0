"""Correcting at the desk: own words looked at, saved, activated, and never lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memorykit_app.domain.states import State
from memorykit_app.models import Source, sealed
from memorykit_app.services import erasure, memories
from tests.desk import QUOTE, desk_settings, person, quoted, text_of, transcript, url
from tests.records import NOW, OTHER, SCOPE, active, asked, fresh, history, memory

pytestmark = pytest.mark.django_db
FINE = datetime(2031, 1, 1, 11, 0, 0, 123_456, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person())
    return client


def words(record, **changes):
    return {
        "version": record.version,
        "content": record.content,
        "key": record.key,
        "importance": record.importance,
        "confidence": record.confidence,
        "valid_from": record.valid_from.strftime("%Y-%m-%dT%H:%M:%S"),
        "valid_until": "",
        "reason": "outdated",
        "then": "save",
    } | changes


def send(client, record, **changes):
    return client.post(url("correct", record.pk), words(record, **changes))


def test_the_form_shows_the_record_as_it_is(desk):
    record = memory("The office is in Lisbon.", importance=30)

    page = text_of(desk.get(url("correct", record.pk)))

    assert "The office is in Lisbon." in page
    assert 'value="30"' in page
    assert 'name="key"' in page
    assert "Save and activate" in page


def test_saving_keeps_the_state_the_sources_and_the_fraction_of_the_second(desk):
    record = memory(
        sources=(quoted(transcript()),), valid_from=FINE, valid_until=FINE + timedelta(days=9)
    )
    until = record.valid_until.strftime("%Y-%m-%dT%H:%M:%S")

    response = send(desk, record, content="The office is in Porto.", valid_until=until)

    after = fresh(record)
    assert response.status_code == 302
    assert (after.content, after.state) == ("The office is in Porto.", State.CANDIDATE)
    assert (after.valid_from, after.valid_until) == (FINE, FINE + timedelta(days=9))
    with sealed(SCOPE):
        assert Source.objects.in_scope(SCOPE).get(memory_id=record.pk).quote == QUOTE
    assert history(record)[-1].reason == "outdated"


def test_new_words_leave_what_is_said_of_the_source_and_drop_the_rest(desk):
    record = memory(
        sources=(quoted(transcript()),), flags=("outside_text", "quote_not_found", "hedged")
    )

    send(desk, record, content="The office is in Porto.")

    assert fresh(record).flags == ["outside_text", "quote_not_found"]


def test_a_validity_can_be_set_and_must_end_after_it_begins(desk):
    record = memory()

    wrong = send(desk, record, valid_until="2031-01-01T00:00:00")
    right = send(desk, record, valid_until="2032-01-01T00:00:00")

    assert wrong.status_code == 400
    assert "It must end after it begins." in text_of(wrong)
    assert right.status_code == 302
    assert fresh(record).valid_until == datetime(2032, 1, 1, tzinfo=UTC)


def test_line_ends_are_stored_as_they_were_typed(desk):
    record = memory()

    send(desk, record, content="One.\r\nTwo.  ")

    assert fresh(record).content == "One.\nTwo.  "


def test_own_changes_can_be_looked_at_before_saving(desk):
    record = memory("The office is in Lisbon.")

    response = send(desk, record, content="The office is in Porto.", then="look")

    assert response.status_code == 200
    assert '<ins><span class="mk-said">added: </span>Porto</ins>' in text_of(response)
    assert fresh(record).version == 1


def test_save_and_activate_is_one_step_and_leads_on(desk):
    record, following = memory(key="k.1"), memory(key="k.2")

    response = send(desk, record, content="Better.", then="activate", next=str(following.pk))

    assert response["Location"].startswith(url("item", following.pk))
    assert (fresh(record).state, fresh(record).content) == (State.ACTIVE, "Better.")
    assert [step.action for step in history(record)] == ["create", "correct", "activate"]


def test_a_new_key_keeps_both(desk):
    old = active("The office is in Porto.")
    record = memory("The summer office is in Lisbon.")

    send(desk, record, key="office.summer", then="activate", replaces=f"{old.pk}:1")

    assert fresh(record).state == fresh(old).state == State.ACTIVE
    assert fresh(record).key == "office.summer"


def test_a_new_key_that_is_taken_replaces_nothing_unseen(desk):
    taken = active("Another fact.", key="office.summer")
    record = memory("The summer office is in Lisbon.")

    response = send(desk, record, key="office.summer", then="activate")

    assert response.status_code == 409
    assert "Another active record holds this kind and key" in text_of(response)
    assert fresh(taken).state == State.ACTIVE
    assert (fresh(record).key, fresh(record).version) == ("office.city", 1)


def test_a_replaced_record_that_changed_meanwhile_stops_both_steps(desk):
    old = active("The office is in Porto.")
    record = memory("The office is in Lisbon.")
    active("The office is in Rome.")

    response = send(desk, record, content="Now in Lisbon.", then="activate", replaces=f"{old.pk}:1")

    assert response.status_code == 409
    assert "Rome" in text_of(response)
    assert "Now in Lisbon." in text_of(response)
    assert fresh(record).version == 1


def test_an_old_version_is_a_409_that_keeps_what_was_typed(desk):
    record = memory("The office is in Lisbon.")
    memories.hold(record.pk, asked(1, seconds=0))
    memories.release(record.pk, asked(2, seconds=0))

    response = send(desk, record, content="My own words.", note="my note")
    page = text_of(response)

    assert response.status_code == 409
    assert "My own words." in page
    assert "my note" in page
    assert 'name="version" value="3"' in page
    assert "Hold released by operator reviewer" in page


def test_the_same_form_sent_twice_is_one_correction(desk):
    record, other = memory(key="k.1"), memory(key="k.2")

    saved = [send(desk, record, content="Better.").status_code for _ in range(2)]
    activated = [send(desk, other, content="Best.", then="activate") for _ in range(2)]

    assert saved == [302, 302]
    assert [response.status_code for response in activated] == [302, 302]
    assert len(history(record)) == 2
    assert len(history(other)) == 3


def test_other_words_on_an_old_version_are_not_taken_for_a_repeat(desk):
    record = memory()
    send(desk, record, content="Better.")

    assert send(desk, record, content="Worse.").status_code == 409
    assert fresh(record).content == "Better."


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("content", "  ", "must not be blank"),
        ("content", "x" * 8_001, "at most 8000 characters"),
        ("content", "a\ud800", "surrogates"),
        ("key", " key ", "must not start or end with space"),
        ("importance", "101", "less than or equal to 100"),
        ("confidence", "2", "less than or equal to 1"),
        ("valid_from", "soon", "Enter a valid date/time."),
    ],
)
def test_wrong_fields_are_named_beside_the_field(desk, field, value, said):
    record = memory()
    if field == "content" and "\ud800" in value:
        # A browser cannot send one; the form's own check is asked directly.
        from memorykit_app.forms import CorrectionForm

        form = CorrectionForm(words(record, content=value), record=record, candidate=True)
        assert "surrogates" in str(form.errors)
        return

    response = send(desk, record, **{field: value})

    assert response.status_code == 400
    assert said in text_of(response)
    assert fresh(record).version == 1


def test_text_that_the_content_check_refuses_is_kept_in_the_form(desk):
    record = memory()

    response = send(desk, record, content="The key is AKIA.")

    assert response.status_code == 400
    assert "refused content by the rule secret" in text_of(response)
    assert "The key is AKIA." in text_of(response)


def test_an_active_record_keeps_its_key(desk):
    record = active()

    page = text_of(desk.get(url("correct", record.pk)))
    send(desk, record, content="Corrected.", key="another")

    assert 'name="key"' not in page
    assert "Save and activate" not in page
    assert (fresh(record).content, fresh(record).key) == ("Corrected.", "office.city")


def test_nobody_corrects_and_activates_their_own_proposal(client):
    user = person()
    client.force_login(user)
    record = memory(source_agent_id=f"person:{user.pk}")

    page = text_of(client.get(url("correct", record.pk)))
    response = send(client, record, content="Mine.", then="activate")

    assert "Save and activate" not in page
    assert response.status_code == 403
    assert fresh(record).version == 1


def test_without_the_permission_the_form_is_refused(client):
    client.force_login(person("val", roles=("viewer",)))
    record = memory()

    assert client.get(url("correct", record.pk)).status_code == 403
    assert send(client, record, content="Mine.").status_code == 403


def test_other_projects_and_erased_records_cannot_be_corrected(desk):
    other, erased = memory(scope=OTHER), memory()
    erasure.erase(erased.pk, asked(1, seconds=0))

    page = text_of(desk.get(url("correct", erased.pk)))

    assert desk.get(url("correct", other.pk)).status_code == 404
    assert "Nothing of what it said is left." in page


def test_a_record_erased_while_it_was_corrected_shows_its_tombstone(desk):
    record = memory()
    form = words(record, content="Typed before the erase.")
    erasure.erase(record.pk, asked(1, seconds=0))

    page = text_of(desk.post(url("correct", record.pk), form))

    assert "Nothing of what it said is left." in page
    assert "Typed before the erase." not in page
    assert fresh(record).content == ""


def test_a_held_record_is_not_corrected(desk):
    record = memories.hold(memory().pk, asked(1, seconds=0))

    response = send(desk, record, content="New words.")

    assert response.status_code == 409
    assert "A hold stands on this record" in text_of(response)


def test_the_clock_of_the_records_is_the_desks(desk):
    record = memory()
    send(desk, record, content="Better.")

    assert history(record)[-1].created_at == NOW
