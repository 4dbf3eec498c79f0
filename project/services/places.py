"""Where the servers keep their data, and who may look at it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from project.services.account import Account, server_account
from project.services.errors import InUseError, ServiceError

ROOT = Path(__file__).resolve().parents[2]
VARIABLE_TMP = Path("/var/tmp")
SETTING = "MEMORYKIT_DATA_DIR"


def fallback_folder(checkout: Path = ROOT, *, base: Path = VARIABLE_TMP) -> Path:
    """Return the folder outside a checkout whose own cannot be reached by the servers."""
    digest = hashlib.sha256(os.fsencode(checkout)).hexdigest()[:16]
    return base / f"memorykit-{os.geteuid()}-{digest}"


def data_folder(
    environ: Mapping[str, str] = os.environ,
    *,
    checkout: Path = ROOT,
    account: Account | None = None,
) -> Path:
    """Return the data folder without making it: the one given, `var/`, or the fallback."""
    if given := environ.get(SETTING):
        return Path(given).expanduser().absolute()
    var = checkout / "var"
    who = account or server_account()
    if who.switch:
        reachable = who.reaches(var)
    else:
        reachable = os.access(var if var.exists() else checkout, os.W_OK | os.X_OK)
    return var if reachable else fallback_folder(checkout)


def prepare(folder: Path, account: Account) -> None:
    """Make the data folder, or refuse one that somebody else could write into.

    Raises ServiceError naming the folder.
    """
    try:
        _make(folder, account)
        info = folder.lstat()
    except OSError as error:
        raise ServiceError(
            f"The data folder {folder} cannot be made ({_reason(error)}): set {SETTING} to a"
            " folder that you may write to."
        ) from error
    if not stat.S_ISDIR(info.st_mode):
        raise ServiceError(
            f"The data folder {folder} is a link: remove it or set {SETTING} to a real folder."
        )
    if info.st_uid != os.geteuid():
        raise ServiceError(
            f"The data folder {folder} belongs to another user: run as that user, remove it,"
            f" or set {SETTING} to a folder of your own."
        )
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise ServiceError(
            f"The data folder {folder} can be written by others: run `chmod go-w {folder}`, or"
            f" set {SETTING} to another folder."
        )
    if not account.reaches(folder):
        raise ServiceError(
            f"The account {account.name} cannot reach the data folder {folder}: set {SETTING}"
            " to a folder below one that everybody may enter, such as /var/tmp/memorykit."
        )


def _make(folder: Path, account: Account) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        # Whatever the umask: the server's account passes through, nobody lists or writes.
        folder.chmod(0o711 if account.switch else 0o700)


def own_folder(path: Path, account: Account) -> None:
    """Make a folder that only the server's account may enter."""
    path.mkdir(mode=0o700, exist_ok=True)
    path.chmod(0o700)
    if account.switch:
        os.chown(path, account.uid, account.gid)


@contextmanager
def locked(folder: Path, name: str = ".lock", *, wait: bool = True) -> Iterator[None]:
    """Hold one of the folder's locks, so that several starts at once make one server.

    Raises InUseError when not to wait and somebody else holds it.
    """
    with private_file(folder / name) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InUseError(f"{folder} is in use: wait until that has ended.") from error
        yield


@contextmanager
def private_file(path: Path) -> Iterator[int]:
    """Open a file that only we can read, without following a link."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        raise ServiceError(
            f"{path} cannot be opened ({_reason(error)}): run as the user who made it, or set"
            f" {SETTING} to another folder."
        ) from error
    try:
        yield handle
    finally:
        os.close(handle)


def save(path: Path, value: Mapping[str, Any]) -> None:
    """Write a state file whole or not at all, readable by us only."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    new.replace(path)


def load(path: Path) -> dict[str, Any]:
    """Return a state file's content; empty when there is none or it is not ours to read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def last_line(log: Path) -> str:
    """Return the last line of a server's log, for a message."""
    try:
        lines = log.read_text("utf-8", "replace").split("\n")
    except OSError:
        return "no log was written"
    return next((line.strip() for line in reversed(lines) if line.strip()), "the log is empty")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
