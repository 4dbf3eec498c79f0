"""Erase and export from the command line: previewed, done, proved, and told without content."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command
from uuid6 import uuid7

from memorykit_app.domain.drafts import SourceRef
from memorykit_app.models import ErasureReceipt, ScopeRecord, sealed
from memorykit_app.services import audit, memories
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.records import NOW, OPERATOR, SCOPE, active, asked, at, fresh, memory

pytestmark = pytest.mark.django_db
SECRET = "Zanzibar is the place."


def note(ref: str) -> tuple[SourceRef, ...]:
    return (SourceRef(kind="note", ref=ref),)


def receipts() -> list[ErasureReceipt]:
    with sealed(SCOPE):
        return list(ErasureReceipt.objects.in_scope(SCOPE))


def test_a_dry_run_counts_and_writes_nothing():
    record = active(SECRET)

    planned = answer("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}", "--dry-run")
    printed = said("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}", "--dry-run")

    assert planned["memories"] == [str(record.pk)]
    assert (planned["counts"]["memory"], planned["counts"]["source"]) == (1, 1)
    assert "would erase 1 memories" in printed
    assert "term: " in printed
    assert fresh(record).state == "active"
    assert receipts() == []


def test_an_erased_memory_is_proved_gone(tmp_path):
    record = active(SECRET)
    probes = tmp_path / "probes"
    probes.write_text(SECRET)

    done = answer("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}", "--reason=request")
    call_command(
        "memorykit_verify_erasure", done["receipt"], probe_file=probes, stdout=io.StringIO()
    )

    assert (done["memories"], done["held"]) == (1, [])
    assert fresh(record).state == "erased"
    assert {receipt.reason for receipt in receipts()} == {"request"}
    assert all(receipt.actor.startswith("operator:") for receipt in receipts())


def test_erasing_again_returns_the_first_receipt():
    record = active(SECRET)
    first = answer("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}")

    again = answer("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}")

    assert again == {
        "memories": 0,
        "counts": {"transcript": 0},
        "held": [],
        "receipt": first["receipt"],
    }
    assert len(receipts()) == 1


def test_a_source_without_records_has_no_receipt():
    active(SECRET)

    printed = said("memorykit_erase", *SCOPE_ARGUMENTS, "--source-ref=nowhere")

    assert printed == "erased 0 memories\nno receipt: nothing was erased\n"


def test_a_source_goes_with_its_records_and_lineage():
    older = active("Old place.", key="a", now=at(0))
    root = active(SECRET, key="a", now=at(1), sources=note("mail:1"))
    other = active("Elsewhere.", key="b")

    done = answer("memorykit_erase", *SCOPE_ARGUMENTS, "--source-ref=mail:1", "--lineage")

    assert done["memories"] == 2
    assert [fresh(record).state for record in (older, root, other)] == [
        "erased",
        "erased",
        "active",
    ]


def test_a_whole_scope_is_closed():
    active(SECRET)

    printed = said("memorykit_erase", *SCOPE_ARGUMENTS, "--all")

    assert "erased 1 memories" in printed
    assert str(next(r.pk for r in receipts() if "scope" in r.counts)) in printed
    assert ScopeRecord.objects.get(pk=SCOPE.id).closed_at is not None
    assert said("memorykit_erase", *SCOPE_ARGUMENTS, "--all").startswith("erased 0 memories\n")


def test_what_a_hold_keeps_is_told():
    record = active(SECRET)
    memories.hold(record.pk, asked(1))

    code, sentence = refusal("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}")
    planned = said("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}", "--dry-run")

    assert code == 4
    assert "a hold keeps 1 memories" in sentence
    assert f"kept by a hold: {record.pk}" in planned
    assert refusal("memorykit_erase", *SCOPE_ARGUMENTS, "--all")[0] == 1
    assert fresh(record).state == "active"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((f"--id={uuid7()}",), 1),
        (("--all",), 1),
        (("--source-ref=x", "--reason=Free words!"), 2),
    ],
)
def test_a_wrong_order_is_refused(arguments, code):
    assert refusal("memorykit_erase", *SCOPE_ARGUMENTS, *arguments)[0] == code


@pytest.mark.parametrize(("typed", "state"), [("red\n", "erased"), ("yes\n", "active")])
def test_a_person_types_the_project(monkeypatch, typed, state):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    record = active(SECRET)
    monkeypatch.setattr("sys.stdin", Terminal(typed))

    arguments = ("memorykit_erase", *SCOPE_ARGUMENTS, f"--id={record.pk}")
    if state == "erased":
        said(*arguments)
    else:
        assert "nothing was written" in refusal(*arguments)[1]

    assert fresh(record).state == state


def exported(*arguments: object) -> list[dict]:
    printed = said("memorykit_export", *SCOPE_ARGUMENTS, *arguments)
    return [json.loads(line) for line in printed.splitlines()]


def test_the_trail_is_exported_without_content():
    record = active(SECRET, key="place.secret")
    memories.forget(record.pk, asked(1, seconds=5, reason="outdated", note="no longer true"))
    foreign = memory("Other.", key="b", scope=SCOPE)

    rows = exported()

    assert [(row["memory_id"], row["action"]) for row in rows] == [
        (str(record.pk), "create"),
        (str(foreign.pk), "create"),
        (str(record.pk), "forget"),
    ]
    assert rows[-1]["reason"] == "outdated"
    text = json.dumps(rows)
    assert not any(word in text for word in (SECRET, "place.secret", "no longer true"))


def test_an_export_is_bounded_in_time():
    record = active(SECRET)
    memories.forget(record.pk, asked(1, seconds=5))

    assert [row["action"] for row in exported(f"--since={at(5).isoformat()}")] == ["forget"]
    assert [row["action"] for row in exported(f"--until={at(5).isoformat()}")] == ["create"]


def test_an_export_to_a_file_is_private_and_replaces_nothing(tmp_path):
    active(SECRET)
    path = tmp_path / "trail.jsonl"

    printed = said("memorykit_export", *SCOPE_ARGUMENTS, f"--output={path}")

    assert printed == f"1 revisions in {path}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["action"] == "create"
    code, sentence = refusal("memorykit_export", *SCOPE_ARGUMENTS, f"--output={path}")
    assert (code, "file exists" in sentence) == (2, True)


def test_a_long_trail_is_read_in_pages():
    record = active(SECRET)
    for version in range(1, 6):
        verb = memories.pin if version % 2 else memories.unpin
        verb(record.pk, asked(version, seconds=version // 2 + 1))

    rows = list(audit.revisions(scope=SCOPE, by=OPERATOR, batch=2))

    assert [row["version"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[0]["created_at"] == NOW
