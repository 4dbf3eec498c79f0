"""Secrets of a development checkout, made once and kept beside its data."""

from __future__ import annotations

import secrets
from pathlib import Path

from project.services import places
from project.services.account import Account

_NAMES = ("secret_key", "fingerprint_key", "reviewer_password")


def development_keys(folder: Path, account: Account) -> dict[str, str]:
    """Return this checkout's random keys, making those that are missing.

    They stay the same over restarts: sessions and the fingerprints of erased text depend on
    them. Raises ServiceError when the folder cannot be used.
    """
    path = folder / "keys.json"
    keys = places.load(path)
    if all(name in keys for name in _NAMES):
        return keys
    places.prepare(folder, account)
    with places.locked(folder, ".keys.lock"):
        keys = {name: secrets.token_urlsafe(48) for name in _NAMES} | places.load(path)
        keys["reviewer_password"] = keys["reviewer_password"][:20]
        places.save(path, keys)
    return keys
