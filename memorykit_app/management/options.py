"""Operator commands: shared arguments, answers as lines or JSON, failures as one sentence."""

from __future__ import annotations

import getpass
import json
import os
import sys
from abc import abstractmethod
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

import redis
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import Error, ProgrammingError
from tqdm import tqdm

from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import (
    AccessDenied,
    BackendError,
    InvalidMemory,
    InvalidScope,
    MemorykitError,
    MemoryNotFound,
    Unavailable,
)
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.visible import pieces
from memorykit_app.services import faults

FAILED: Final = 1
USAGE: Final = 2
PARTIAL: Final = 4
LOCKED: Final = 5

_ONE_LINE = str.maketrans("\n\t", "  ")
_NO_DATABASE = (
    "the database does not answer: check DATABASE_URL and the server, then try again"
    " (memorykit_doctor shows more)"
)
_NEXT_STEPS: Final[dict[type[MemorykitError], str]] = {
    AccessDenied: "the authorizer of MEMORYKIT[AUTHORIZER] refuses operators",
    MemoryNotFound: "check the id, --tenant and --project",
    BackendError: "memorykit_doctor tells which part is not ready",
}


class OperatorCommand(BaseCommand):
    """A command whose work is in `work`, whose answer is one, and whose failure is a sentence.

    Exit codes: 0 done, 1 failed, 2 wrong usage, 4 done in part, 5 a lock is held elsewhere.
    """

    #: A command that writes nothing needs no dry run.
    writes = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the answer as JSON")
        if self.writes:
            parser.add_argument(
                "--dry-run", action="store_true", help="say what would happen and write nothing"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        with told_plainly():
            self.work(options)

    @abstractmethod
    def work(self, options: dict[str, Any]) -> None:
        """Do what was asked. Typed errors may leave it: they become sentences."""

    def answer(self, options: dict[str, Any], data: Any, lines: Iterable[str]) -> None:
        """Print JSON when it was asked for, else the lines."""
        if options["json"]:
            self.stdout.write(as_json(data))
            return
        for line in lines:
            self.stdout.write(visible(line))


def add_scope(parser: ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument("--tenant", required=required, help="whose memory: the tenant")
    parser.add_argument("--project", required=required, help="whose memory: its project")


def scope_of(options: dict[str, Any]) -> Scope:
    """Return the scope of --tenant and --project. Raises InvalidScope."""
    return Scope.project(options["tenant"], options["project"])


def optional_scope(options: dict[str, Any]) -> Scope | None:
    """Return the scope, or None when neither part is given. Raises CommandError for half."""
    given = [options["tenant"] is not None, options["project"] is not None]
    if not any(given):
        return None
    if not all(given):
        raise CommandError("--tenant and --project go together", returncode=USAGE)
    return scope_of(options)


def operator() -> Principal:
    """Return who runs this command, by the name of the system account."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        # A container's number may have no name.
        name = f"uid-{os.getuid()}"
    return Principal.operator(name)


def moment(text: str) -> datetime:
    """Read an argument such as 2031-01-01T12:00+00:00. Raises ArgumentTypeError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("must be a time such as 2031-01-01T12:00:00+00:00") from None
    if found.tzinfo is None:
        raise ArgumentTypeError("must name its zone, as in 2031-01-01T12:00:00+00:00")
    return found


def confirmed(options: dict[str, Any], question: str, word: str) -> None:
    """Have a person at a terminal type `word`; a script has decided already.

    Raises CommandError when something else was typed.
    """
    if options["yes"] or not sys.stdin.isatty():
        return
    sys.stderr.write(f"{question} Type {visible(word)} to go on: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip() != word:
        raise CommandError("stopped: nothing was written", returncode=FAILED)


def progress(options: dict[str, Any], *, total: int | None, unit: str) -> tqdm[Any]:
    """Return a progress bar on standard error, silent without a terminal."""
    silent = True if options["verbosity"] == 0 else None
    return tqdm(total=total, unit=unit, disable=silent, file=sys.stderr, dynamic_ncols=True)


def as_json(data: Any) -> str:
    """Return JSON on one line, in ASCII: nothing in it can steer a terminal."""
    return json.dumps(data, default=_plain)


def visible(text: str) -> str:
    """Return a text on one line with its invisible and control characters named."""
    return "".join(
        f"<{piece.label}>" if piece.label else piece.text.translate(_ONE_LINE)
        for piece in pieces(text)
    )


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return lines with the columns under each other."""
    cells = [[*headings], *([visible(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn every expected failure into a CommandError that says what to do."""
    try:
        yield
    except (InvalidMemory, InvalidScope) as error:
        raise CommandError(str(error), returncode=USAGE) from None
    except Unavailable:
        raise CommandError(_NO_DATABASE, returncode=FAILED) from None
    except MemorykitError as error:
        step = next((hint for kind, hint in _NEXT_STEPS.items() if isinstance(error, kind)), "")
        raise CommandError(f"{error}{f': {step}' if step else ''}", returncode=FAILED) from None
    except ImproperlyConfigured as error:
        raise CommandError(f"{error} (manage.py check tells more)", returncode=FAILED) from None
    except ProgrammingError as error:
        # The driver's text may quote values.
        if getattr(error.__cause__, "sqlstate", "") != "42P01":
            raise
        raise CommandError("tables are missing: run migrate first", returncode=FAILED) from None
    except Error as error:
        if not faults.recoverable(error):
            raise
        raise CommandError(_NO_DATABASE, returncode=FAILED) from None
    except redis.RedisError:
        raise CommandError(
            "Redis does not answer: check REDIS_URL and the server, then try again",
            returncode=FAILED,
        ) from None


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
