"""The failure flag of a run, and the check of a model's last words against it."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from memorykit_app.domain.errors import MemorykitError
from memorykit_app.tools.results import NOT_SAVED

#: In the metadata of a run: true once a write of the model failed. No later success clears it.
WRITE_FAILED: Final = "memorykit.agentadapter.write_failed"


class WriteFailed(MemorykitError):
    """A write of the model failed in this run, so nothing it says about saving may stand."""

    code = "memory_write_failed"

    def __init__(self) -> None:
        super().__init__(NOT_SAVED)


def flag(metadata: MutableMapping[str, Any] | None) -> None:
    """Set the flag; a run without metadata is tolerated."""
    if metadata is not None:
        metadata[WRITE_FAILED] = True


def validate_output(metadata: Mapping[str, Any] | None) -> None:
    """Pass when no write failed. Raises WriteFailed when the flag is anything but false."""
    if metadata is not None and metadata.get(WRITE_FAILED, False) is not False:
        raise WriteFailed
