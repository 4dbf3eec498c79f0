"""Commands as a test calls them: what they print, and how they refuse."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

SCOPE_ARGUMENTS = ("--tenant=acme", "--project=red")


def said(name: str, *arguments: object) -> str:
    """Run a command and return its standard output."""
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def answer(name: str, *arguments: object) -> Any:
    """Run a command with --json and return its answer."""
    return json.loads(said(name, *arguments, "--json"))


def refusal(name: str, *arguments: object) -> tuple[int, str]:
    """Run a command that must fail; return exit code and sentence."""
    with pytest.raises(CommandError) as caught:
        said(name, *arguments)
    return caught.value.returncode, str(caught.value)
