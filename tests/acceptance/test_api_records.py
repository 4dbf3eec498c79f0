"""The API as a host uses it: create, read, list, decide, erase, extract, recall."""

from __future__ import annotations

import json

import pytest

from memorykit_app.domain.actors import Capability
from memorykit_app.models import ErasureReceipt, Job, Memory, Transcript, sealed
from memorykit_app.services import drain
from tests.hosting import host
from tests.records import OTHER, SCOPE, active, asked, draft, fresh, history, memory  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]
NEW = {
    "kind": "fact",
    "key": "office.city",
    "content": "The office is in Lisbon.",
    "reason": "user_asked",
    "importance": 40,
    "confidence": 0.8,
}
WORDS = {
    "content": "The office is in Porto.",
    "valid_from": "2030-01-01T00:00:00Z",
    "reason": "moved",
    "importance": 50,
    "confidence": 0.9,
}
TURNS = [{"role": "user", "content": "We decided to use PostgreSQL 16 for the billing service."}]


def stored() -> int:
    with sealed(SCOPE):
        return Memory.objects.in_scope(SCOPE).count()


def test_a_created_record_can_be_read_and_recalled():
    agent = host()

    made = agent.post("memories", NEW)
    read = agent.get(f"memories/{made.json()['id']}")
    found = agent.post("recall", {"query": "Where is the office?"})

    assert made.status_code == 201
    assert made["ETag"] == read["ETag"] == '"1"'
    assert made.json() == read.json()
    assert made.json()["status"] == "active"
    assert "tenant" not in json.dumps(made.json())
    assert [item["content"] for item in found.json()["items"]] == [NEW["content"]]
    assert found.json()["degraded"] == []


def test_repeating_a_create_is_safe_and_another_request_conflicts():
    agent = host()
    key = {"Idempotency-Key": "call-1"}

    first = agent.post("memories", NEW, **key)
    again = agent.post("memories", NEW | {"idempotency_key": "call-1"})
    other = agent.post("memories", NEW | {"content": "The office is in Porto."}, **key)
    torn = agent.post("memories", NEW | {"idempotency_key": "call-2"}, **key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]
    assert (other.status_code, other.json()["code"]) == (409, "memory_conflict")
    assert (torn.status_code, torn.json()["field"]) == (400, "Idempotency-Key")
    assert stored() == 1


def test_a_record_goes_through_its_life():
    desk = host()
    record = memory()
    path = f"memories/{record.pk}"

    steps = [
        desk.post(f"{path}/activate", {"reason": "checked", "expected_version": 1}),
        desk.post(f"{path}/correct", WORDS, **{"If-Match": '"2"'}),
        desk.post(f"{path}/forget", {"reason": "outdated", "expected_version": 3}),
        desk.post(f"{path}/restore", {"reason": "undo", "expected_version": 4}),
    ]
    erased = desk.post(f"{path}/erase", {"reason": "request", "expected_version": 5})

    assert [step.status_code for step in steps] == [200] * 4
    assert [step["ETag"] for step in steps] == ['"2"', '"3"', '"4"', '"5"']
    assert [step.json()["status"] for step in steps] == ["active", "active", "inactive", "active"]
    assert erased.status_code == 204
    with sealed(SCOPE):
        receipt = ErasureReceipt.objects.in_scope(SCOPE).get()
    assert erased["Memorykit-Receipt"] == str(receipt.pk)
    assert [row.actor.partition(":")[0] for row in history(record)][1:] == ["host"] * 5


def test_a_candidate_is_dismissed_and_an_activation_undone():
    desk = host()
    one, two = memory(key="one"), memory(key="two")

    dismissed = desk.post(f"memories/{one.pk}/dismiss", {"reason": "x", "expected_version": 1})
    desk.post(f"memories/{two.pk}/activate", {"reason": "x", "expected_version": 1})
    undone = desk.post(f"memories/{two.pk}/revert", {"reason": "x", "expected_version": 2})

    assert dismissed.json()["status"] == "inactive"
    assert undone.json()["status"] == "candidate"


@pytest.mark.parametrize(
    ("body", "headers", "status", "field"),
    [
        ({}, {}, 400, "expected_version"),
        ({}, {"If-Match": "1"}, 400, "If-Match"),
        ({}, {"If-Match": '"0"'}, 400, "If-Match"),
        ({"expected_version": 2}, {"If-Match": '"1"'}, 400, "If-Match"),
        ({"expected_version": 2}, {}, 409, None),
        ({}, {"If-Match": '"7"'}, 409, None),
        ({"expected_version": 0}, {}, 400, "expected_version"),
        ({"expected_version": "1"}, {}, 400, "expected_version"),
        ({"expected_version": 1}, {"If-Match": '"1"'}, 200, None),
    ],
)
def test_a_change_names_the_version_it_was_decided_on(body, headers, status, field):
    record = memory()

    answer = host().post(f"memories/{record.pk}/activate", {"reason": "ok"} | body, **headers)

    assert answer.status_code == status
    assert answer.json().get("field") == field
    assert fresh(record).version == (2 if status == 200 else 1)


def test_pages_follow_one_another_without_gap_or_repeat():
    agent = host()
    made = {
        str(active(key=f"k{number}", now=asked(1, seconds=number).now).pk) for number in range(5)
    }

    seen, cursor = [], ""
    while cursor is not None:
        page = agent.get(f"memories?limit=2{cursor and f'&cursor={cursor}'}").json()
        seen += [row["id"] for row in page["memories"]]
        cursor = page["next_cursor"]

    assert len(seen) == 5
    assert set(seen) == made


def test_records_with_the_same_time_are_paged_too():
    agent = host()
    made = {str(active(key=f"k{number}").pk) for number in range(5)}

    first = agent.get("memories?limit=3").json()
    second = agent.get(f"memories?limit=3&cursor={first['next_cursor']}").json()

    assert {row["id"] for row in first["memories"] + second["memories"]} == made


@pytest.mark.parametrize("change", ["&status=candidate", "&kind=lesson", "&key=k1"])
def test_a_cursor_is_good_for_its_question_only(change):
    agent = host()
    for number in range(2):
        active(key=f"k{number}")
    cursor = agent.get("memories?limit=1").json()["next_cursor"]

    refused = agent.get(f"memories?limit=1&cursor={cursor}{change}")

    assert (refused.status_code, refused.json()["field"]) == (400, "cursor")


def test_a_cursor_of_another_project_or_none_at_all_is_refused():
    ours = host(projects=("red", "blue"))
    for number in range(2):
        active(key=f"k{number}")
    cursor = ours.get("memories?limit=1").json()["next_cursor"]
    ours._project = OTHER.subject_id

    assert ours.get(f"memories?limit=1&cursor={cursor}").json()["field"] == "cursor"
    assert ours.get("memories?cursor=nonsense").json()["field"] == "cursor"


def test_lists_narrow_by_state_kind_and_key():
    desk = host()
    active(key="one"), memory(key="two")

    assert [row["key"] for row in desk.get("memories").json()["memories"]] == ["one"]
    assert [row["key"] for row in desk.get("memories?status=candidate").json()["memories"]] == [
        "two"
    ]
    assert desk.get("memories?kind=lesson").json()["memories"] == []
    assert [row["key"] for row in desk.get("memories?key=one").json()["memories"]] == ["one"]


def test_sources_and_history_are_read():
    desk = host()
    record = memory()
    desk.post(f"memories/{record.pk}/activate", {"reason": "ok", "expected_version": 1})

    sources = desk.get(f"memories/{record.pk}/sources").json()["sources"]
    revisions = desk.get(f"memories/{record.pk}/revisions").json()["revisions"]
    older = desk.get(f"memories/{record.pk}/revisions?before_version=2&limit=5").json()["revisions"]

    assert [source["ref"] for source in sources] == ["note:1"]
    assert [row["action"] for row in revisions] == ["activate", "create"]
    assert [row["version"] for row in older] == [1]


def test_a_transcript_becomes_candidates_that_a_reviewer_sees():
    agent = host(Capability.READ, Capability.PROPOSE)

    taken = agent.post("extractions", TURNS)
    again = agent.post("extractions", TURNS)
    drain.drain()
    path = f"extractions/{taken.json()['job_id']}"

    assert (taken.status_code, again.status_code) == (202, 202)
    assert (taken.json()["replayed"], again.json()["replayed"]) == (False, True)
    assert agent.get(path).json()["state"] == "completed"
    assert agent.get(path).json()["candidates"] is None
    assert len(host().get(path).json()["candidates"]) == 1
    assert agent.post("recall", {"query": "billing service"}).json()["items"] == []


def test_a_transcript_may_come_as_json_lines_under_a_run_of_its_own():
    agent = host(Capability.PROPOSE)
    lines = "\n".join(json.dumps(turn) for turn in TURNS).encode()

    one = agent.call("POST", "extractions", lines, content_type="application/x-ndjson")
    two = agent.post("extractions", lines, **{"Idempotency-Key": "run-2"})

    assert one.json()["job_id"] != two.json()["job_id"]


@pytest.mark.parametrize("body", [b"", b"[", b"{}", b"[]", b'[{"role": "user"}]', b"\xff"])
def test_a_transcript_that_cannot_be_read_is_refused_whole(body):
    answer = host(Capability.PROPOSE).call("POST", "extractions", body)

    assert answer.status_code == 400
    assert answer.json()["detail"]
    with sealed(SCOPE):
        assert not Transcript.objects.in_scope(SCOPE).exists()
    assert not Job.objects.exists()


def test_recall_narrows_by_key_kind_and_size():
    agent = host(Capability.READ)
    active(key="one"), active("The lab is in Lisbon.", key="two")

    by_key = agent.post("recall", {"query": "Lisbon", "keys": ["two"], "items": 1}).json()
    by_kind = agent.post("recall", {"query": "Lisbon", "kinds": ["lesson"]}).json()

    assert [item["key"] for item in by_key["items"]] == ["two"]
    assert by_key["items"][0]["ranks"]["exact"] == 1
    assert by_kind["items"] == []


def test_the_past_is_for_those_who_may_review():
    past = {"query": "office", "as_of": "2020-01-01T00:00:00Z"}

    assert host(Capability.READ).post("recall", past).status_code == 403
    assert host().post("recall", past).json()["items"] == []


def test_a_correction_without_a_start_keeps_the_records_own():
    desk, record = host(), active()
    words = {name: WORDS[name] for name in WORDS if name != "valid_from"} | {"expected_version": 1}

    early = desk.post(
        f"memories/{record.pk}/correct", words | {"valid_until": "2001-01-01T00:00:00Z"}
    )
    corrected = desk.post(f"memories/{record.pk}/correct", words)

    assert (early.status_code, early.json()["field"]) == (400, "valid_until")
    assert corrected.status_code == 200
    assert fresh(record).valid_from == record.valid_from
    assert corrected.json()["sources"] == []


def test_records_out_of_their_time_are_there_for_reviewers_only():
    later = active(key="later", valid_from=asked(1, seconds=60).now)
    past = active(
        key="past", valid_from=asked(1, seconds=-60).now, valid_until=asked(1, seconds=-30).now
    )
    agent, desk = host(Capability.READ), host()

    for record in (later, past):
        assert agent.get(f"memories/{record.pk}").status_code == 404
        assert agent.get(f"memories/{record.pk}/sources").status_code == 404
        assert desk.get(f"memories/{record.pk}").status_code == 200
    assert agent.get("memories").json()["memories"] == []
    assert len(desk.get("memories").json()["memories"]) == 2


def test_an_answer_explains_itself_when_asked():
    agent, record = host(Capability.READ), active()

    plain = agent.post("recall", {"query": "office"}).json()
    explained = agent.post("recall", {"query": "office", "explain": True}).json()

    assert plain["explained"] is None
    assert [(row["id"], row["outcome"]) for row in explained["explained"]] == [
        (str(record.pk), "kept")
    ]
    assert plain["items"][0]["source_refs"] == ["note:1"]


def test_history_goes_on_where_a_page_ends():
    desk, record = host(), memory()
    for version in range(1, 4):
        body = WORDS | {"expected_version": version}
        desk.post(f"memories/{record.pk}/correct", body)

    first = desk.get(f"memories/{record.pk}/revisions?limit=3").json()
    rest = desk.get(
        f"memories/{record.pk}/revisions?before_version={first['next_before_version']}"
    ).json()
    none = desk.get(f"memories/{record.pk}/revisions?before_version=1").json()

    assert [row["version"] for row in first["revisions"]] == [4, 3, 2]
    assert [row["version"] for row in rest["revisions"]] == [1]
    assert first["revisions"][0]["content"] == WORDS["content"]
    assert rest["next_before_version"] is none["next_before_version"] is None


def test_history_of_an_erased_record_has_no_words():
    desk, record = host(), active()
    desk.post(f"memories/{record.pk}/erase", {"reason": "request", "expected_version": 1})

    again = desk.post(f"memories/{record.pk}/erase", {"reason": "again", "expected_version": 7})
    rows = desk.get(f"memories/{record.pk}/revisions").json()["revisions"]

    assert again.status_code == 204
    assert [row["content_erased"] for row in rows] == [True, True]
    assert not any(row["content"] or row["key"] for row in rows)
