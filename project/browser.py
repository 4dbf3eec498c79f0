"""The browser of the browser tests: Debian's Chromium, installed when we may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"),
)


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def main() -> int:
    """Install Chromium through apt-get when it is missing and we are root."""
    if find():
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium for the browser tests", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in INSTALL:
            subprocess.run(
                command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        if find():
            return 0
        reason = "apt-get could not install it; check the network"
    else:
        reason = "only root may install it"
    print(
        f"browser: the browser tests need Chromium and {reason}: run `apt-get install chromium`"
        " as an administrator, then repeat.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
