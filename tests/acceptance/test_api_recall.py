"""Recall over HTTP: the receipt that an answer leaves, and the past."""

from __future__ import annotations

from unittest.mock import ANY

import pytest
from django.conf import settings
from django.test import override_settings

from memorykit_app.domain.actors import Capability
from memorykit_app.models import RecallReceipt, sealed
from memorykit_app.services import correction
from tests.hosting import Host, host, mint
from tests.integration.test_recall_degraded import new_words
from tests.recalling import known
from tests.records import NOW, SCOPE, asked, at

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("records_clock")]


def kept() -> list[RecallReceipt]:
    with sealed(SCOPE):
        return list(RecallReceipt.objects.in_scope(SCOPE))


def test_an_answer_names_its_receipt():
    (record,) = known("The office is in Lisbon.")
    key, secret = mint(Capability.READ)

    answer = Host(secret).post("recall", {"query": "office", "run_id": "run:7"})

    (receipt,) = kept()
    assert answer.status_code == 200
    assert answer.json()["receipt_id"] == str(receipt.pk)
    assert (receipt.entry, receipt.actor) == ("api", f"host:{key.prefix}")
    assert (receipt.host_key, receipt.run_id) == (key.prefix, "run:7")
    assert (receipt.created_at, receipt.items) == (
        NOW,
        [{"id": str(record.pk), "version": 1, "score": ANY, "ranks": ANY}],
    )


def test_without_receipts_an_answer_names_none():
    known("The office is in Lisbon.")

    with override_settings(MEMORYKIT=settings.MEMORYKIT | {"RECEIPTS": {"STORE": False}}):
        answer = host().post("recall", {"query": "office"})

    assert answer.json()["receipt_id"] is None
    assert len(answer.json()["items"]) == 1
    assert kept() == []


@pytest.mark.parametrize("run_id", ["we moved to Lisbon", "x" * 129, 7, "a\n"])
def test_a_run_is_an_id_and_never_words(run_id):
    known("The office is in Lisbon.")

    answer = host().post("recall", {"query": "office", "run_id": run_id})

    assert answer.status_code in (400, 422)
    assert "Lisbon" not in answer.content.decode()
    assert kept() == []


def test_what_was_known_then_is_for_those_who_may_review():
    (record,) = known("The office is in Lisbon.", now=at(-100))
    correction.correct(record.pk, asked(1, seconds=-10), new_words())
    question = {"query": "office", "known_at": at(-50).isoformat()}

    answer = host().post("recall", question)

    assert [item["content"] for item in answer.json()["items"]] == ["The office is in Lisbon."]
    assert answer.json()["degraded"] == ["vector"]
    assert host(Capability.READ).post("recall", question).status_code == 403
