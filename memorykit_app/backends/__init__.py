"""Backends by dotted path: one instance per process, built on first use, refused when wrong."""

from __future__ import annotations

import os
from threading import RLock
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from memorykit_app import conf
from memorykit_app.backends import base

B = TypeVar("B", bound=base.Backend)
_built: dict[str, base.Backend] = {}
_lock = RLock()


def _instance(name: str, setting: conf.BackendSetting, port: type[B]) -> B:
    with _lock:
        found = _built.get(name)
        if found is None:
            found = _built[name] = _build(name, setting, port)
    assert isinstance(found, port)
    return found


def _build(name: str, setting: conf.BackendSetting, port: type[B]) -> B:
    where = f"{conf.SETTING}[{name}]"
    try:
        cls = import_string(setting.backend)
    except ImportError:
        raise ImproperlyConfigured(f"{where}: {setting.backend} cannot be imported") from None
    if not (isinstance(cls, type) and issubclass(cls, port)):
        raise ImproperlyConfigured(f"{where}: {setting.backend} is not a {port.__name__}")
    try:
        return cls(**setting.options)
    except (TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"{where}: {error}") from None


def embedder(profile: str | None = None) -> base.Embedder:
    """Return the embedder of a profile (the serving one when none is named).

    Raises ImproperlyConfigured when the profile has no embedder.
    """
    settings = conf.settings()
    name = profile or settings.serving_profile
    if name not in settings.embedders:
        raise ImproperlyConfigured(f"{conf.SETTING}[EMBEDDERS] has no profile {name}")
    return _instance(f"EMBEDDERS.{name}", settings.embedders[name], base.Embedder)


def extractor() -> base.Extractor:
    return _instance("EXTRACTOR", conf.settings().extractor, base.Extractor)


def content_validator() -> base.ContentValidator:
    return _instance("CONTENT_VALIDATOR", conf.settings().content_validator, base.ContentValidator)


def authorizer() -> base.Authorizer:
    return _instance("AUTHORIZER", conf.settings().authorizer, base.Authorizer)


def token_counter() -> base.TokenCounter:
    return _instance("TOKEN_COUNTER", conf.settings().token_counter, base.TokenCounter)


def observer() -> base.Observer:
    return _instance("OBSERVER", conf.settings().observer, base.Observer)


def clock() -> base.Clock:
    return _instance("CLOCK", conf.settings().clock, base.Clock)


def _forget(*, setting: str, **_: object) -> None:
    if setting == conf.SETTING:
        _built.clear()


def _unlock() -> None:
    # A thread of the parent may have held the lock at the moment of the fork.
    global _lock
    _lock = RLock()


os.register_at_fork(after_in_child=_unlock)
setting_changed.connect(_forget, dispatch_uid="memorykit.backends")
