"""Checks of the MEMORYKIT dict: its keys, the backends it names and the recall policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.core.checks import CheckMessage, register
from django.core.exceptions import ImproperlyConfigured

from memorykit_app import backends, conf
from memorykit_app.backends.base import Backend, Embedder
from memorykit_app.checks.message import TAG, error, setting
from memorykit_app.recall import policy

MAX_DIMENSION = 16_000
_OWN_IDS = {
    "AUTHORIZER": ("E004", "Name an authorizer; GrantAuthorizer uses Django's permissions."),
    "RECALL_POLICY": ("E005", 'Start from a preset: {"PRESET": "balanced-v1"}.'),
    "LIMITS": ("E011", "See docs/settings.md, Limits."),
}


@register(TAG)
def settings_are_valid(**_: Any) -> list[CheckMessage]:
    found = []
    for path, rule in conf.problems():
        number, hint = _OWN_IDS.get(_subject(path, rule), ("E001", "See docs/settings.md."))
        found.append(error(number, f"{setting(path) if path else conf.SETTING}: {rule}", hint))
    return found


@register(TAG)
def parts_are_ready(**_: Any) -> list[CheckMessage]:
    """Build every backend and ask it what it lacks."""
    found: list[CheckMessage] = []
    for name, build in _parts():
        try:
            part = build()
        except ImproperlyConfigured as refusal:
            found.append(error("E002", str(refusal), f"Correct {setting(name)}."))
            continue
        found += [
            error("E003", f"{setting(name)}: {problem}", "The part cannot work like this.")
            for problem in part.problems()
        ]
        if isinstance(part, Embedder) and not _sound(part.dimension):
            found.append(
                error(
                    "E006",
                    f"{setting(name)}: dimension must be a whole number from 1 to {MAX_DIMENSION}",
                    "Give the length of the vectors that the model returns.",
                )
            )
    return found


@register(TAG)
def the_recall_policy_is_valid(**_: Any) -> list[CheckMessage]:
    if conf.problems() or not _embedders_are_built():
        return []
    try:
        policy.policy()
    except ImproperlyConfigured as refusal:
        return [error("E005", str(refusal), _OWN_IDS["RECALL_POLICY"][1])]
    return []


def _subject(path: str, rule: str) -> str:
    """Return the key that a problem is about; LIMITS is refused before there is a path to it."""
    key = path.split(".")[0]
    return "LIMITS" if key == "*" and "LIMITS" in rule else key


def _parts() -> Iterator[tuple[str, Callable[[], Backend]]]:
    """Yield each backend's key and how to build it; nothing when the settings are wrong."""
    if conf.problems():
        return
    for profile in conf.settings().embedders:
        yield f"EMBEDDERS.{profile}", partial(backends.embedder, profile)
    yield "EXTRACTOR", backends.extractor
    yield "CONTENT_VALIDATOR", backends.content_validator
    yield "AUTHORIZER", backends.authorizer
    yield "TOKEN_COUNTER", backends.token_counter
    yield "OBSERVER", backends.observer
    yield "CLOCK", backends.clock


def built() -> Iterator[tuple[str, Backend]]:
    """Yield the backends that can be built; the others have their message already."""
    for name, build in _parts():
        try:
            yield name, build()
        except ImproperlyConfigured:
            continue


def _embedders_are_built() -> bool:
    found = dict(built())
    return all(f"EMBEDDERS.{profile}" in found for profile in conf.settings().embedders)


def _sound(dimension: object) -> bool:
    return type(dimension) is int and 1 <= dimension <= MAX_DIMENSION
