"""What all commands share: arguments, answers, and failures that say what to do."""

from __future__ import annotations

import io
import json
import os
from argparse import ArgumentTypeError
from datetime import UTC, datetime
from uuid import UUID

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError
from django.db import IntegrityError, OperationalError, ProgrammingError
from psycopg import errors as pg

from memorykit_app.domain.errors import (
    AccessDenied,
    BackendError,
    InvalidMemory,
    InvalidScope,
    MemoryHeld,
    MemoryNotFound,
    Unavailable,
)
from memorykit_app.management import options as opts
from tests.records import SCOPE

ID = UUID(int=7)


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InvalidMemory("reason", "must be a code"), 2, "reason: must be a code"),
        (InvalidScope("tenant: must be text"), 2, "tenant"),
        (Unavailable(), 1, "DATABASE_URL"),
        (MemoryHeld(), 1, "release it first"),
        (MemoryNotFound(), 1, "check the id, --tenant and --project"),
        (AccessDenied("erase"), 1, "MEMORYKIT[AUTHORIZER]"),
        (BackendError("extract", recoverable=False), 1, "memorykit_doctor"),
        (ImproperlyConfigured("MEMORYKIT[CLOCK]: no"), 1, "manage.py check"),
        (redis.ConnectionError("secret"), 1, "REDIS_URL"),
        (caused(OperationalError("secret"), pg.OperationalError("secret")), 1, "DATABASE_URL"),
        (caused(ProgrammingError("secret"), pg.UndefinedTable("secret")), 1, "run migrate first"),
    ],
)
def test_an_expected_failure_becomes_a_sentence(error, code, words):
    with pytest.raises(CommandError, match=None) as caught, opts.told_plainly():
        raise error

    assert caught.value.returncode == code
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("bug"),
        caused(ProgrammingError(), pg.SyntaxError()),
        caused(IntegrityError(), pg.UniqueViolation()),
    ],
)
def test_a_fault_of_ours_is_not_hidden(error):
    with pytest.raises(type(error)), opts.told_plainly():
        raise error


def test_a_scope_is_whole_or_absent():
    assert opts.optional_scope({"tenant": None, "project": None}) is None
    assert opts.optional_scope({"tenant": "acme", "project": "red"}) == SCOPE
    with pytest.raises(CommandError, match="go together"):
        opts.optional_scope({"tenant": "acme", "project": None})


def test_the_operator_is_the_account(monkeypatch):
    monkeypatch.setenv("LOGNAME", "anna")

    assert opts.operator().actor == "operator:anna"


def test_an_account_without_a_name_is_its_number(monkeypatch):
    def nameless():
        raise KeyError

    monkeypatch.setattr(opts.getpass, "getuser", nameless)

    assert opts.operator().actor == f"operator:uid-{os.getuid()}"


def test_a_moment_names_its_zone():
    assert opts.moment("2031-01-01T12:00Z") == datetime(2031, 1, 1, 12, tzinfo=UTC)
    with pytest.raises(ArgumentTypeError, match="such as"):
        opts.moment("tomorrow")
    with pytest.raises(ArgumentTypeError, match="zone"):
        opts.moment("2031-01-01T12:00")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stdin", "yes"),
    [(io.StringIO(""), False), (Terminal("no\n"), True), (Terminal("red\n"), False)],
)
def test_a_script_a_yes_and_the_right_word_go_on(monkeypatch, stdin, yes):
    monkeypatch.setattr("sys.stdin", stdin)

    opts.confirmed({"yes": yes}, "Sure?", "red")


def test_another_word_stops(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Terminal("blue\n"))

    with pytest.raises(CommandError, match="nothing was written"):
        opts.confirmed({"yes": False}, "Sure?", "red")

    assert "Sure? Type red" in capsys.readouterr().err


@pytest.mark.parametrize("verbosity", [0, 1])
def test_progress_is_silent_without_a_terminal(capsys, verbosity):
    with opts.progress({"verbosity": verbosity}, total=3, unit="x") as bar:
        bar.update()

    assert capsys.readouterr().err == ""


def test_progress_shows_at_a_terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)

    with opts.progress({"verbosity": 1}, total=3, unit="x") as bar:
        bar.update()

    assert "1/3" in screen.getvalue()


def test_nothing_in_an_answer_steers_a_terminal():
    hostile = "red \x1b[2J\u202e\n\ttext"

    assert opts.visible(hostile) == "red <U+001B>[2J<RLO>  text"
    assert opts.as_json({"a": hostile}).isascii()
    assert json.loads(opts.as_json({"a": hostile})) == {"a": hostile}


def test_json_takes_ids_and_times():
    moment = datetime(2031, 1, 1, tzinfo=UTC)

    assert json.loads(opts.as_json({"id": ID, "at": moment})) == {
        "id": str(ID),
        "at": "2031-01-01T00:00:00+00:00",
    }


def test_a_table_has_its_columns_under_each_other():
    assert opts.table(("A", "LONG"), [("wide", 1), ("x", "\x07")]) == [
        "A     LONG",
        "wide  1",
        "x     <U+0007>",
    ]
