"""Faults of the database during recall: which cost a channel, which the whole answer."""

from __future__ import annotations

from enum import Enum

import psycopg

from memorykit_app.domain.errors import MemorykitError, RecallDependency, Unavailable

# Out of time, out of resources, lock not granted, serialization.
_CHANNEL = ("57014", "53", "55P03", "40001", "40P01")
_CONNECTION = ("08", "57P01", "57P02", "57P03")


class Fault(Enum):
    """What a failed statement means for the rest of the recall."""

    CHANNEL = "channel"
    STORE = "store"
    DEFECT = "defect"


def fault(error: psycopg.Error) -> Fault:
    """Classify an error by its SQLSTATE; without one the connection is gone."""
    state = error.sqlstate or ""
    if state.startswith(_CHANNEL):
        return Fault.CHANNEL
    if state.startswith(_CONNECTION) or (not state and isinstance(error, psycopg.OperationalError)):
        return Fault.STORE
    return Fault.DEFECT


def translated(error: psycopg.Error) -> MemorykitError:
    """Return the typed error to raise; the driver's own text stays out of it."""
    return RecallDependency() if fault(error) is Fault.DEFECT else Unavailable()
