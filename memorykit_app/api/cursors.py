"""Cursors: where the next page starts, signed, and good for one scope and one question only."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from uuid import UUID

from django.core import signing

from memorykit_app.domain.errors import InvalidMemory
from memorykit_app.domain.scope import Scope
from memorykit_app.services.reading import Place

_PURPOSE = "memorykit.cursor"


def write(place: Place, scope: Scope, *asked: str | None) -> str:
    """Return the cursor after a place in the list that `asked` describes: times and ids only."""
    value = [place.updated_at.isoformat(), str(place.memory_id)]
    return signing.dumps(value, salt=_salt(scope, asked))


def read(cursor: str, scope: Scope, *asked: str | None) -> Place:
    """Return the place. Raises InvalidMemory for a cursor from elsewhere, or none at all."""
    try:
        updated_at, memory_id = signing.loads(cursor, salt=_salt(scope, asked))
    except signing.BadSignature:
        raise InvalidMemory("cursor", "is not one that this list gave; start anew") from None
    return Place(datetime.fromisoformat(updated_at), UUID(memory_id))


def _salt(scope: Scope, asked: tuple[str | None, ...]) -> str:
    """Return what binds a signature; a digest, since a key may be asked for."""
    question = json.dumps([str(scope.id), *asked]).encode()
    return f"{_PURPOSE}.{hashlib.sha256(question).hexdigest()}"
