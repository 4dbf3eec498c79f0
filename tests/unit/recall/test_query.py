"""Query: what may be asked, refused by the name of the field."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import datetime

import pytest

from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.recall.query import RecallQuery


@pytest.mark.parametrize(
    ("wishes", "field"),
    [
        ({}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": 3}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"keys": ("a", "a")}, "keys"),
        ({"keys": (" ",)}, "keys"),
        ({"keys": "office"}, "keys"),
        ({"keys": (1,)}, "keys"),
        ({"text": "a", "kinds": ("rumour",)}, "kinds"),
        ({"text": "a", "kinds": ("fact", "fact")}, "kinds"),
        ({"text": "a", "items": 0}, "items"),
        ({"text": "a", "items": True}, "items"),
        ({"text": "a", "items": 2.0}, "items"),
        ({"text": "a", "tokens": -1}, "tokens"),
        ({"text": "a", "as_of": datetime(2031, 1, 1)}, "as_of"),  # noqa: DTZ001
        ({"text": "a", "as_of": "2031-01-01"}, "as_of"),
        ({"text": "a", "known_at": 3}, "known_at"),
    ],
)
def test_a_wrong_question_is_refused_by_name(wishes, field):
    with pytest.raises(InvalidMemory) as refusal:
        RecallQuery(**wishes)

    assert refusal.value.field == field


def test_a_key_alone_is_a_question():
    assert RecallQuery(keys=["office.city"]).keys == ("office.city",)


def test_texts_are_put_into_one_form():
    assert RecallQuery(text="cafe\u0301").text == "caf\u00e9"


def test_a_question_does_not_change():
    with pytest.raises(FrozenInstanceError):
        RecallQuery(text="a").text = "b"
