"""Throw-away servers for the tests: `python -m project.services.testing -- pytest ...`."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import redis

from project.services import places
from project.services.account import server_account
from project.services.errors import ServiceError
from project.services.stack import Stack, Urls

PREFIX = "memorykit-test"
GIVEN_REDIS = "MEMORYKIT_TEST_GIVEN_REDIS"
#: Logical databases of a given Redis that tests use, from the top down.
GIVEN_DATABASES = range(15, 11, -1)


@contextmanager
def throwaway_stack(database_url: str = "", redis_url: str = "") -> Iterator[Urls]:
    """Run servers that are removed afterwards; a given URL is used, and checked, instead.

    Raises ServiceError.
    """
    account = server_account()
    base = _base()
    _remove_abandoned(base)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{os.getpid()}-", dir=base))
    folder.chmod(0o711 if account.switch else 0o700)
    stack = Stack(folder, account, True, database_url, redis_url)
    try:
        yield stack.up()
    finally:
        stack.down()
        shutil.rmtree(folder, ignore_errors=True)


def ensure_running() -> None:
    """Give this process, and those it starts, servers when the environment names none."""
    given = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if all(given):
        return
    stack = throwaway_stack(*given)
    urls = stack.__enter__()
    owner = os.getpid()

    def leave() -> None:
        # A forked child inherits this hook and must leave its parent's servers alone.
        if os.getpid() == owner:
            stack.__exit__(None, None, None)

    atexit.register(leave)
    _export(urls, given_redis=bool(given[1]))


def redis_database(worker: str, *, given: bool) -> int:
    """Return the logical database of a pytest-xdist worker ("gw0"), or of the only process."""
    index = int(worker.removeprefix("gw")) + 1 if worker else 0
    if given:
        return GIVEN_DATABASES[index % len(GIVEN_DATABASES)]
    return 1 + index % 60


def on_database(url: str, database: int) -> str:
    """Return the Redis URL with another logical database."""
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def main(arguments: Sequence[str]) -> int:
    """Run a command with DATABASE_URL and REDIS_URL set; return its exit status."""
    command = list(arguments[1:] if arguments[:1] == ["--"] else arguments)
    if not command:
        print("usage: python -m project.services.testing -- COMMAND ...", file=sys.stderr)
        return 2
    given_redis = os.environ.get("REDIS_URL", "")
    # A terminal sends Ctrl-C to the command too; it ends, and we then clean up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if given_redis:
            _require_empty(given_redis)
        with throwaway_stack(os.environ.get("DATABASE_URL", ""), given_redis) as urls:
            _export(urls, given_redis=bool(given_redis))
            return _call(command)
    except ServiceError as error:
        print(f"tests: {error}", file=sys.stderr)
        return 1


def _call(command: list[str]) -> int:
    process = subprocess.Popen(command, preexec_fn=_default_interrupt)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: process.terminate())
    return process.wait()


def _default_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _export(urls: Urls, *, given_redis: bool) -> None:
    os.environ.update(urls.environment())
    os.environ[GIVEN_REDIS] = "1" if given_redis else ""


def _base() -> Path:
    return places.VARIABLE_TMP if places.VARIABLE_TMP.is_dir() else Path(tempfile.gettempdir())


def _remove_abandoned(base: Path) -> None:
    account = server_account()
    for folder in base.glob(f"{PREFIX}-*-*"):
        process = folder.name.removeprefix(f"{PREFIX}-").split("-")[0]
        info = folder.lstat()
        ours = info.st_uid == os.geteuid() and not folder.is_symlink()
        if not ours or not process.isdigit() or _lives(int(process)):
            continue
        try:
            Stack(folder, account, True).down()
        except ServiceError:
            continue
        shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _require_empty(url: str) -> None:
    for database in GIVEN_DATABASES:
        try:
            with redis.Redis.from_url(
                on_database(url, database), socket_connect_timeout=5
            ) as client:
                size = client.dbsize()
        except redis.RedisError:
            # `up` says better what is wrong with the server.
            return
        if size:
            raise ServiceError(
                f"The tests empty databases {GIVEN_DATABASES[-1]} to {GIVEN_DATABASES[0]} of"
                f" REDIS_URL and database {database} is in use: name another server, or unset"
                " REDIS_URL."
            )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
