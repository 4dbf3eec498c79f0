"""What a run prints once it is up: what to open, how to log in, one call that works."""

from __future__ import annotations

import json
import time

REVIEWER = "reviewer"
TENANT = "demo"
#: Each has one transcript; the run's host key opens the first.
PROJECTS = ("orchard", "chaye", "support")
QUESTION = "Which database does the project use?"


def text(url: str, password: str, key: str, began: float) -> str:
    """Return the notice; `began` is the monotonic time at which the run started."""
    body = json.dumps({"query": QUESTION})
    return "\n".join(
        (
            "",
            f"Ready after {time.monotonic() - began:.1f} s",
            "",
            f"  Open      {url}/admin/",
            f"  Login     {REVIEWER} / {password}",
            f"  Host key  {key}   (tenant {TENANT}, project {PROJECTS[0]}, this run only)",
            "",
            "Ask for recall; the answer stays empty until a candidate was activated:",
            "",
            f"  curl -sS {url}/v1/projects/{PROJECTS[0]}/recall"
            f" -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json'"
            f" -d '{body}'",
            "",
            "Ctrl-C stops everything; the data stays for the next run.",
            "",
        )
    )
