"""Erasing at the desk: shown first, typed out, and proved by a receipt."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State
from memorykit_app.models import ErasureReceipt, Transcript, sealed
from memorykit_app.services import erasure, memories
from tests.desk import desk_settings, person, quoted, text_of, transcript, url
from tests.records import OTHER, SCOPE, active, asked, fresh, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person(roles=("privacy officer",)))
    return client


def erase(client, record, **changes):
    form = {
        "version": record.version,
        "typed": short_id(record.pk),
        "final": "on",
        "reason": "sensitive",
    }
    return client.post(url("erase", record.pk), form | changes)


def test_what_will_go_is_shown_first_and_nothing_is_gone_yet(desk):
    record = active(sources=(quoted(transcript()),))

    response = desk.get(url("erase", record.pk))
    counts = dict(response.context["counts"])

    assert counts["Sources and quotes"] == 1
    assert counts["Transcripts that it came from"] == 1
    assert "The office is in Lisbon." in text_of(response)
    assert fresh(record).state == State.ACTIVE


def test_an_erase_leads_to_its_receipt(desk):
    record = active(sources=(quoted(transcript()),))

    response = erase(desk, record)
    receipt = text_of(desk.get(response["Location"]))

    assert fresh(record).state == State.ERASED
    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()
        stored = ErasureReceipt.objects.in_scope(SCOPE).get()
    assert stored.reason == "sensitive"
    assert stored.hash in receipt
    assert "Lisbon" not in receipt
    assert short_id(record.pk) in receipt


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"typed": "00000000"}, "not the short id"),
        ({"typed": ""}, "This field is required."),
        ({"final": ""}, "This field is required."),
        ({"reason": "because"}, "Please correct"),
    ],
)
def test_a_half_confirmed_erase_is_none(desk, change, said):
    record = active()

    response = erase(desk, record, **change)

    assert response.status_code == 400
    assert said in text_of(response)
    assert fresh(record).state == State.ACTIVE


def test_an_old_version_is_not_erased(desk):
    record = active()
    memories.pin(record.pk, asked(1, seconds=0))

    response = erase(desk, record)

    assert response.status_code == 409
    assert "Pinned by operator reviewer" in text_of(response)
    assert fresh(record).state == State.ACTIVE


def test_a_hold_stops_the_erase_and_says_so(desk):
    held = memories.hold(active().pk, asked(1, seconds=0))

    response = erase(desk, held)

    assert response.status_code == 409
    assert "A hold stands on this record" in text_of(response)
    assert fresh(held).state == State.ACTIVE


def test_an_erased_record_is_a_tombstone_also_here(desk):
    record = active()
    erase(desk, record)

    again = erase(desk, record)

    assert "Nothing of what it said is left." in text_of(again)
    assert "Nothing of what it said is left." in text_of(desk.get(url("erase", record.pk)))


def test_without_the_permission_erase_is_refused(client):
    client.force_login(person("kim", roles=("reviewer",)))
    record = active()

    assert client.get(url("erase", record.pk)).status_code == 403
    assert erase(client, record).status_code == 403
    assert fresh(record).state == State.ACTIVE


def test_a_record_of_another_project_is_not_erased(desk):
    other = active(scope=OTHER)

    assert erase(desk, other).status_code == 404
    assert fresh(other, OTHER).state == State.ACTIVE


def test_a_note_is_checked_like_any_text(desk):
    record = active()

    response = erase(desk, record, note="n" * 281)

    assert response.status_code == 400
    assert fresh(record).state == State.ACTIVE


def test_receipts_of_granted_projects_are_listed_and_no_others(desk):
    mine, theirs = active(), active(scope=OTHER)
    erasure.erase(mine.pk, asked(1, seconds=0))
    foreign = erasure.erase(theirs.pk, asked(1, seconds=0, scope=OTHER))

    page = desk.get(url("erasurereceipt_changelist"))
    narrowed = desk.get(url("erasurereceipt_changelist"), {"scope": SCOPE.id})

    assert [one["memory_id"] for one in page.context["receipts"]] == [mine.pk]
    assert [one["memory_id"] for one in narrowed.context["receipts"]] == [mine.pk]
    assert desk.get(url("receipt", foreign.pk)).status_code == 404
    assert desk.get(url("receipt", uuid4())).status_code == 404


def test_an_empty_list_of_receipts_says_so(desk):
    memory()

    assert "Nothing was erased." in text_of(desk.get(url("erasurereceipt_changelist")))


def test_a_reviewer_sees_no_receipts(client):
    record = active()
    receipt = erasure.erase(record.pk, asked(1, seconds=0))
    client.force_login(person("kim", roles=("reviewer",)))

    assert client.get(url("receipt", receipt.pk)).status_code == 403
    assert client.get(url("erasurereceipt_changelist")).status_code == 403
