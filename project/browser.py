"""The browser of the browser tests: Debian's Chromium, installed when we may."""

from __future__ import annotations

import shutil
import sys

from project import debian

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def main() -> int:
    """Install Chromium when it is missing; return an exit status."""
    return debian.ensure("chromium", name="Chromium", label="browser", find=find)


if __name__ == "__main__":
    sys.exit(main())
