"""`python -m project.run.address`: where the web server of this checkout answers."""

from __future__ import annotations

import sys

from project.services import places
from project.services.errors import ServiceError
from project.services.stack import this_stack


def address() -> str:
    """Return the URL of the running `make run`. Raises ServiceError when there is none."""
    url = places.load(this_stack().folder / "run.json").get("url")
    if not url:
        raise ServiceError("Nothing runs in this checkout: start it with `make run`.")
    return str(url)


def main() -> int:
    try:
        print(address())
    except ServiceError as error:
        print(f"address: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
