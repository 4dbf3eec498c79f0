"""memorykit_embeddings: what it prints, what it refuses, and that a repeat does no harm."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app.models import Embedding, Job, Profile, sealed
from memorykit_app.services import drain, profiles
from tests.commands import SCOPE_ARGUMENTS, answer, refusal, said
from tests.records import SCOPE, active

pytestmark = pytest.mark.django_db
NAME, NEW = "memorykit_embeddings", "--profile=hash-32"
OLD = "--profile=hash-64"


@pytest.fixture(autouse=True)
def two_profiles():
    known = settings.MEMORYKIT["EMBEDDERS"]
    second = {"BACKEND": known["hash-64"]["BACKEND"], "OPTIONS": {"dimension": 32}}
    with override_settings(
        MEMORYKIT=settings.MEMORYKIT | {"EMBEDDERS": known | {"hash-32": second}}
    ):
        for number in range(5):
            active(f"The secret word of machine {number} is frost.", key=f"m.{number}")
        drain.drain()
        yield


def vectors() -> int:
    with sealed(SCOPE):
        return Embedding.objects.in_scope(SCOPE).filter(profile="hash-32").count()


def test_a_plan_says_what_there_is_to_do():
    found = answer(NAME, "plan", NEW, "--price=2")

    assert (found["state"], found["dimension"]) == ("absent", 32)
    assert found["coverage"]["missing"] == 5
    assert found["cost"] == pytest.approx(found["tokens"] * 2 / 1_000_000)
    assert found["seconds"] >= 0
    assert answer(NAME, "plan", NEW, "--no-measure")["seconds"] is None
    assert not Profile.objects.filter(pk="hash-32").exists()


def test_the_whole_way_from_plan_to_drop_and_each_step_twice():
    for _ in range(2):
        assert "workers make" in said(NAME, "build", NEW)
    drain.drain()
    drain.drain()
    assert answer(NAME, "build", NEW, "--wait=0")["coverage"]["missing"] == 0
    drain.drain()
    found = answer(NAME, "compare", NEW, "--sample=3")
    assert found["queries"] == 3
    assert 0 <= found["vector"] <= 1
    assert answer(NAME, "switch", NEW)["changed"] is True
    assert answer(NAME, "switch", NEW)["changed"] is False
    assert profiles.serving() == "hash-32"
    assert answer(NAME, "drop", OLD, "--yes")["vectors"] == 5
    assert answer(NAME, "drop", OLD, "--yes")["vectors"] == 0
    assert refusal(NAME, "drop", NEW, "--yes")[0] == 1


def test_a_dry_run_writes_nothing():
    before = Job.objects.count()
    for verb in ("build", "switch", "drop"):
        assert "would" in said(NAME, verb, NEW, "--dry-run")

    assert Job.objects.count() == before
    assert not Profile.objects.filter(pk="hash-32").exists()
    assert refusal(NAME, "drop", OLD, "--dry-run")[0] == 1


def test_waiting_for_what_does_not_come_ends_in_part():
    code, sentence = refusal(NAME, "build", NEW, "--wait=1")

    assert code == 4
    assert "5 vectors are missing" in sentence
    assert vectors() == 0


def test_given_questions_are_asked_in_their_project(tmp_path):
    said(NAME, "build", NEW)
    drain.drain()
    lines = tmp_path / "queries.txt"
    lines.write_text("Which word is frost?\n\nmachine 3\n", encoding="utf-8")

    found = answer(NAME, "compare", NEW, *SCOPE_ARGUMENTS, f"--queries={lines}")
    assert found["queries"] == 2
    assert refusal(NAME, "compare", NEW, f"--queries={lines}")[0] == 2


def test_no_word_of_a_record_is_printed():
    said(NAME, "build", NEW)
    drain.drain()

    for verb in ("plan", "compare", "switch", "build"):
        assert "frost" not in said(NAME, verb, NEW)


def test_wrong_names_are_told_plainly():
    assert refusal(NAME, "switch", NEW)[1].startswith("no profile has this name")
    assert "EMBEDDERS" in refusal(NAME, "build", "--profile=nobody")[1]
    assert refusal(NAME, "compare", NEW)[0] == 1
