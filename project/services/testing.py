"""Throw-away servers for the tests: `python -m project.services.testing -- pytest ...`.

`--postgres 16` runs the oldest server that memorykit supports, `--pooler` puts PgBouncer before it.
"""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import redis

from project.services import binaries, given, places
from project.services.account import server_account
from project.services.errors import ServiceError
from project.services.pooler import Pooler
from project.services.stack import Stack, Urls

PREFIX = "memorykit-test"
GIVEN_REDIS = "MEMORYKIT_TEST_GIVEN_REDIS"
#: The port of a pooler that the tests work through once their database is migrated.
POOLER_PORT = "MEMORYKIT_TEST_POOLER_PORT"
#: Set to 1: the tests run on the database of DATABASE_URL, or fail and say what it lacks.
REQUIRED = "MEMORYKIT_REQUIRE_POSTGRES"
#: Logical databases of a given Redis that tests use, from the top down.
GIVEN_DATABASES = range(15, 11, -1)


@contextmanager
def throwaway_stack(
    database_url: str = "", redis_url: str = "", edition: binaries.Edition = binaries.NEWEST
) -> Iterator[Urls]:
    """Run servers that are removed afterwards; a given URL is used, and checked, instead.

    Raises ServiceError.
    """
    account = server_account()
    base = _base()
    _remove_abandoned(base)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{os.getpid()}-", dir=base))
    folder.chmod(0o711 if account.switch else 0o700)
    stack = Stack(folder, account, True, database_url, redis_url, edition)
    try:
        yield stack.up()
    finally:
        stack.down()
        shutil.rmtree(folder, ignore_errors=True)


def ensure_running() -> None:
    """Give this process, and those it starts, servers when the environment names none."""
    check_required()
    urls_given = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
    if all(urls_given):
        return
    stack = throwaway_stack(*urls_given)
    urls = stack.__enter__()
    owner = os.getpid()

    def leave() -> None:
        # A forked child inherits this hook and must leave its parent's servers alone.
        if os.getpid() == owner:
            stack.__exit__(None, None, None)

    atexit.register(leave)
    _export(urls, given_redis=bool(urls_given[1]))


def check_required() -> None:
    """With MEMORYKIT_REQUIRE_POSTGRES=1, refuse to go on without the database of DATABASE_URL.

    Raises ServiceError naming what is missing: the URL, the server or the extension.
    """
    if os.environ.get(REQUIRED, "") in {"", "0"}:
        return
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        raise ServiceError(
            f"{REQUIRED} asks for a database of yours and DATABASE_URL names none: set it to"
            f" postgresql://user:password@host:5432/database, or unset {REQUIRED} to use"
            " throw-away servers."
        )
    given.check_database(url, for_tests=True)


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
    parser = argparse.ArgumentParser(prog="python -m project.services.testing")
    parser.add_argument("--postgres", type=int, choices=sorted(binaries.EDITIONS))
    parser.add_argument("--pooler", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    command = options.command[options.command[:1] == ["--"] :]
    if not command:
        parser.print_usage(sys.stderr)
        return 2
    # A terminal sends Ctrl-C to the command too; it ends, and we then clean up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ExitStack() as stack:
            _serve(stack, options.postgres, pooler=options.pooler)
            return _call(command)
    except ServiceError as error:
        print(f"tests: {error}", file=sys.stderr)
        return 1


def _serve(stack: ExitStack, major: int | None, *, pooler: bool) -> None:
    check_required()
    given_database = os.environ.get("DATABASE_URL", "")
    given_redis = os.environ.get("REDIS_URL", "")
    if major and given_database:
        raise ServiceError(
            f"--postgres {major} starts a server of its own and DATABASE_URL names another:"
            " unset one of them."
        )
    if given_redis:
        _require_empty(given_redis)
    edition = binaries.EDITIONS[major] if major else binaries.NEWEST
    urls = stack.enter_context(throwaway_stack(given_database, given_redis, edition))
    _export(urls, given_redis=bool(given_redis))
    if pooler:
        account = server_account()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_base())))
        folder.chmod(0o711 if account.switch else 0o700)
        shared = Pooler(folder, account, urls.database)
        stack.callback(shared.down)
        os.environ[POOLER_PORT] = str(shared.up())
        # A cursor that outlives its transaction would be gone with the server's session.
        os.environ["DISABLE_SERVER_SIDE_CURSORS"] = "1"


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
