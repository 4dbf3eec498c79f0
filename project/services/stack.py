"""Both servers together: what is given wins, the rest is ours to start and stop."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg

from project.services import binaries, given, places
from project.services.account import Account, server_account
from project.services.errors import ServiceError
from project.services.postgres import Postgres
from project.services.valkey import Valkey

#: Who asked for the servers: `run` stops its own when it ends, an operator's stay.
Owner = Literal["run", "operator"]


@dataclass(frozen=True, slots=True)
class Urls:
    database: str
    redis: str

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "REDIS_URL": self.redis}


@dataclass(frozen=True, slots=True)
class Stack:
    """The servers of one data folder; a URL that is given replaces its server."""

    folder: Path
    account: Account
    throwaway: bool = False
    database_url: str = ""
    redis_url: str = ""
    edition: binaries.Edition = binaries.NEWEST

    @property
    def postgres(self) -> Postgres:
        return Postgres(self.folder, self.account, self.throwaway, self.edition)

    @property
    def valkey(self) -> Valkey:
        return Valkey(self.folder, self.account, self.throwaway)

    def up(self, owner: Owner = "operator") -> Urls:
        """Start what is not given, check what is, and return both URLs.

        Safe to call from several processes at once. Raises ServiceError.
        """
        if self.database_url:
            given.check_database(self.database_url, for_tests=self.throwaway)
        if self.redis_url:
            given.check_redis(self.redis_url)
        if self.database_url and self.redis_url:
            return Urls(self.database_url, self.redis_url)
        places.prepare(self.folder, self.account)
        with places.locked(self.folder):
            database, redis = self.database_url, self.redis_url
            if not database:
                try:
                    database = _claim(self.postgres, owner)
                except psycopg.Error as error:
                    raise ServiceError(
                        f"The project's own PostgreSQL could not be prepared: {error}"
                    ) from error
            redis = redis or _claim(self.valkey, owner)
        return Urls(database, redis)

    def down(self, owner: Owner | None = None) -> None:
        """Stop our servers, Valkey first; with an owner only those that it started."""
        if not self.folder.is_dir():
            return
        with places.locked(self.folder):
            for server in (self.valkey, self.postgres):
                if owner is None or server.state().get("owner") == owner:
                    server.down()

    def known(self) -> Urls | None:
        """Return the URLs to use without starting anything; None when one is unknown."""
        database = self.database_url or self.postgres.url()
        redis = self.redis_url or self.valkey.url()
        return Urls(database, redis) if database and redis else None

    def status(self) -> dict[str, dict[str, Any]]:
        """Return per server whether it is given or ours, and whether it answers; no secrets."""
        return {
            "postgres": _status(self.postgres, self.database_url, _answers_database),
            "redis": _status(self.valkey, self.redis_url, _answers_redis),
        }


def this_stack(environ: Mapping[str, str] = os.environ) -> Stack:
    """Return the stack of this checkout as the environment wants it."""
    account = server_account()
    return Stack(
        folder=places.data_folder(environ, account=account),
        account=account,
        database_url=environ.get("DATABASE_URL", ""),
        redis_url=environ.get("REDIS_URL", ""),
    )


def _claim(server: Postgres | Valkey, owner: Owner) -> str:
    was_running = server.running()
    url = server.up()
    # A run never takes over what an operator started; an operator's start outlives the run.
    if owner == "operator" or not was_running:
        server.mark(owner=owner)
    return url


def _status(server: Postgres | Valkey, url: str, answers: Any) -> dict[str, Any]:
    if url:
        return {"managed": False, "running": bool(answers(url))}
    running = server.running()
    return {
        "managed": True,
        "running": running,
        "port": server.state().get("port") if running else None,
    }


def _answers_database(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=given.CONNECT_SECONDS).close()
    except psycopg.Error:
        return False
    return True


def _answers_redis(url: str) -> bool:
    try:
        given.check_redis(url)
    except ServiceError:
        return False
    return True
