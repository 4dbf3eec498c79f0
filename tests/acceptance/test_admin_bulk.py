"""Deciding several candidates together: clean ones, read in full, each on its own version."""

from __future__ import annotations

import pytest

from memorykit_app.domain.states import State
from memorykit_app.services import memories
from tests.desk import desk_settings, person, quoted, text_of, transcript, url
from tests.records import OTHER, active, asked, fresh, history, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person())
    return client


def together(client, *records, verb="", **fields):
    chosen = [f"{record.pk}:{record.version}" for record in records]
    return client.post(url("bulk"), {"chosen": chosen, "verb": verb, **fields})


def test_every_text_is_shown_in_full_before_anything_happens(desk):
    long = "All of this text must be read. " * 40
    one, two = memory(long, key="k.1"), memory("Short.", key="k.2")

    response = together(desk, one, two)

    assert long.strip() in text_of(response)
    assert "Short." in text_of(response)
    assert fresh(one).state == fresh(two).state == State.CANDIDATE


def test_clean_ones_are_activated_together(desk):
    source = quoted(transcript())
    one, two = memory(key="k.1", sources=(source,)), memory(key="k.2", sources=(source,))

    response = together(desk, one, two, verb="activate")

    assert fresh(one).state == fresh(two).state == State.ACTIVE
    assert response.context["done"] == 2
    assert response.context["left"] == 0


def test_what_is_not_clean_needs_a_look_of_its_own(desk):
    good = quoted(transcript())
    active("The office is in Porto.", key="k.1")
    replacing = memory(key="k.1", sources=(good,))
    flagged = memory(key="k.2", flags=("outside_text",), sources=(good,))
    unfounded = memory(key="k.3", sources=(quoted(transcript(), quote="not there"),))
    bare = memory(key="k.4", sources=())
    held = memories.hold(memory(key="k.5", sources=(good,)).pk, asked(1, seconds=0))
    clean = memory(key="k.6", sources=(good,))

    response = together(desk, replacing, flagged, unfounded, bare, held, clean, verb="activate")

    assert fresh(clean).state == State.ACTIVE
    for record in (replacing, flagged, unfounded, bare, held):
        assert fresh(record).state == State.CANDIDATE
    assert (response.context["done"], response.context["left"]) == (1, 5)


def test_any_of_them_can_be_dismissed_with_one_reason(desk):
    one, two = memory(key="k.1", flags=("hedged",)), memory(key="k.2")

    together(desk, one, two, verb="dismiss", reason="duplicate", note="twice")

    assert {fresh(one).state, fresh(two).state} == {State.INACTIVE}
    assert history(one)[-1].reason == "duplicate"
    assert history(two)[-1].note == "twice"


def test_one_that_changed_meanwhile_is_told_and_the_rest_is_done(desk):
    stale, good = memory(key="k.1"), memory(key="k.2")
    memories.hold(stale.pk, asked(1, seconds=0))

    response = together(desk, stale, good, verb="dismiss")

    assert fresh(stale).state == State.CANDIDATE
    assert fresh(good).state == State.INACTIVE
    assert "changed after it was shown to you" in text_of(response)


def test_a_decided_one_is_told_too(desk):
    record = memory()
    dismissed = memories.dismiss(record.pk, asked(1, seconds=0))

    response = together(desk, dismissed, verb="activate")

    assert "needs a look of its own" in text_of(response)
    assert fresh(record).state == State.INACTIVE


def test_records_of_other_projects_are_left_out(desk):
    other = memory("Their words.", scope=OTHER)

    response = together(desk, other, verb="dismiss")

    assert response.context["outcomes"] == []
    assert fresh(other, OTHER).state == State.CANDIDATE


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"chosen": []}, "must be 1 to 25"),
        ({"chosen": [f"{n}:1" for n in range(26)]}, "must be 1 to 25"),
        ({"chosen": ["nonsense"]}, "ids with their versions"),
        ({"chosen": ["a:b:c"]}, "ids with their versions"),
        ({"chosen": ["x"], "select_across": "1"}, "only records that were shown"),
    ],
)
def test_a_broken_choice_is_refused_whole(desk, fields, said):
    response = desk.post(url("bulk"), fields)

    assert response.status_code == 400
    assert said in text_of(response)


def test_an_unknown_reason_is_refused_whole(desk):
    record = memory()

    response = together(desk, record, verb="dismiss", reason="because")

    assert response.status_code == 400
    assert fresh(record).state == State.CANDIDATE


def test_erase_is_not_offered_for_several(desk):
    record = memory()

    response = together(desk, record, verb="erase")

    assert "Erase" not in text_of(response).split("<main")[1]
    assert fresh(record).state == State.CANDIDATE


def test_it_comes_by_post_only_and_needs_each_permission(client):
    client.force_login(person("val", roles=("viewer",)))
    record = memory(sources=(quoted(transcript()),))

    assert client.get(url("bulk")).status_code == 405
    response = together(client, record, verb="activate")
    assert "memorykit.activate_memory" in text_of(response)
    assert fresh(record).state == State.CANDIDATE
