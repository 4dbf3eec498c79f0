"""One finding of a check, under its id, with what to do about it."""

from __future__ import annotations

from django.core.checks import CheckMessage, Error, Warning

from memorykit_app import conf

TAG = "memorykit"


def error(number: str, message: str, hint: str) -> CheckMessage:
    return Error(message, hint=hint, id=f"{TAG}.{number}")


def warning(number: str, message: str, hint: str) -> CheckMessage:
    return Warning(message, hint=hint, id=f"{TAG}.{number}")


def setting(key: str) -> str:
    return f"{conf.SETTING}[{key}]"
