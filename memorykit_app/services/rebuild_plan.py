"""The plan of a rebuild: how much there is to do, and what it may cost."""

from __future__ import annotations

import time
from dataclasses import dataclass

from memorykit_app import backends
from memorykit_app.models import Profile
from memorykit_app.services import rebuild
from memorykit_app.services.rebuild import Coverage

# What a row takes beside its numbers: header, ids, hash, time, and its place in three indexes.
_ROW_BYTES = 380
_SAMPLE = "The cold room is checked every Monday and its door stays shut. "
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a build would do. `seconds` is of one worker and None when it was not measured.

    Bytes are those of vectors and their indexes; `tokens` and `seconds` are estimates.
    """

    profile: str
    state: str
    dimension: int
    coverage: Coverage
    tokens: int
    bytes: int
    seconds: float | None


def plan(name: str, *, measure: bool = True) -> Plan:
    """Count what a profile lacks; with `measure` embed invented text to see how long it takes.

    No record leaves the database. Raises ImproperlyConfigured without an embedder, and what
    the embedder raises.
    """
    embedder = backends.embedder(name)
    profile = Profile.objects.filter(pk=name).first()
    stands = rebuild.coverage(name)
    mean = stands.characters // stands.active if stands.active else 0
    each = _seconds_each(name, mean) if measure and stands.missing else None
    return Plan(
        profile=name,
        state=profile.state if profile else "absent",
        dimension=embedder.dimension,
        coverage=stands,
        tokens=stands.missing * mean // _CHARACTERS_PER_TOKEN,
        bytes=stands.missing * (4 * embedder.dimension + _ROW_BYTES),
        seconds=None if each is None else each * stands.missing,
    )


def _seconds_each(name: str, characters: int) -> float:
    """Return the seconds per text of a batch, after a first call that loads what is needed."""
    embedder = backends.embedder(name)
    text = (_SAMPLE * (characters // len(_SAMPLE) + 1))[: max(characters, 1)]
    embedder.embed_passages([text])
    size = min(embedder.batch_size, 16)
    start = time.perf_counter()
    embedder.embed_passages([text] * size)
    return (time.perf_counter() - start) / size
