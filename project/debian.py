"""Debian's packages that only tests need, installed when we may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable


def ensure(package: str, *, name: str, label: str, find: Callable[[], object]) -> int:
    """Install a package through apt-get when `find` finds nothing and we are root.

    Returns an exit status; on failure one sentence tells what to do.
    """
    if find():
        return 0
    reason = "only root may install it"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {name} for the {label} tests", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", package)
        for command in (("apt-get", "update", "-qq"), install):
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
    print(
        f"{label}: the {label} tests need {name} and {reason}: {by_hand(package)}.",
        file=sys.stderr,
    )
    return 1


def by_hand(package: str) -> str:
    """Return what a person does about a missing package."""
    return f"run `apt-get install {package}` as an administrator, then repeat"
