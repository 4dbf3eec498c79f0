"""Logs hold no content, whatever is logged."""

from __future__ import annotations

import io
import json
import logging
import logging.config

import pytest
import structlog

from project.logs import logging_settings

SECRET = "the-orchard-password"


@pytest.fixture
def written():
    stream = io.StringIO()
    settings = logging_settings("INFO")
    settings["handlers"]["stderr"]["stream"] = stream
    logging.config.dictConfig(settings)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.config.dictConfig(logging_settings("INFO"))


def test_an_exception_leaves_its_type_and_place_only(written):
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("memorykit").exception("it failed")

    (line,) = written()
    assert line["exception"] == "ValueError"
    assert line["at"].startswith(__name__)
    assert SECRET not in json.dumps(line)


def test_only_the_first_line_of_a_message_is_kept(written):
    logging.getLogger("rq.worker").error("Traceback:\n  %s", SECRET)

    assert written()[0]["event"] == "Traceback:"


def test_statements_are_never_logged(written):
    logging.getLogger("django.db.backends").warning("INSERT %s", SECRET)

    assert written() == []


def test_fields_become_keys(written):
    logging.getLogger("memorykit").info("memory.activated", extra={"memory_id": "7"})
    structlog.get_logger("memorykit").info("memory.forgotten", memory_id="8")

    assert [(line["event"], line["memory_id"]) for line in written()] == [
        ("memory.activated", "7"),
        ("memory.forgotten", "8"),
    ]


def test_a_query_string_is_not_logged(written):
    structlog.get_logger("web").info("request_started", request=f"GET /admin/?q={SECRET}")

    assert written()[0]["request"] == "GET /admin/"


def test_a_cause_gives_its_sqlstate(written):
    cause = RuntimeError("x")
    cause.sqlstate = "23505"
    try:
        raise KeyError(SECRET) from cause
    except KeyError:
        logging.getLogger("memorykit").exception("it failed")

    assert written()[0]["sqlstate"] == "23505"
