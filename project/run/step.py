"""One `manage.py` command of the run: its lines as they come, its failure as a sentence."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from project.run.interrupt import Interrupt, RunStoppedError
from project.services import places
from project.services.errors import ServiceError

MANAGE = places.ROOT / "manage.py"


def manage(
    command: str,
    *,
    environment: Mapping[str, str],
    interrupt: Interrupt,
    say: Callable[[str], None],
) -> str:
    """Run a command, say its lines as they come, and return the last one unsaid.

    Raises ServiceError with the last line of its errors, RunStoppedError on an interrupt.
    """
    interrupt.check()
    with tempfile.TemporaryDirectory(prefix="memorykit-run-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        with out.open("wb") as out_stream, err.open("wb") as err_stream:
            process = subprocess.Popen(
                [sys.executable, str(MANAGE), command],
                stdin=subprocess.DEVNULL,
                stdout=out_stream,
                stderr=err_stream,
                env=dict(environment),
                cwd=places.ROOT,
                start_new_session=True,
            )
        waiting: list[str] = []
        with out.open(encoding="utf-8", errors="replace") as lines:
            while process.poll() is None:
                _pass_on(lines, waiting, say)
                if interrupt.requested:
                    process.terminate()
                    process.wait()
                    raise RunStoppedError
                time.sleep(0.05)
            _pass_on(lines, waiting, say)
        if process.returncode:
            for line in waiting:
                say(line)
            raise ServiceError(_reason(command, err, process.returncode))
        return waiting[-1] if waiting else ""


def _pass_on(lines: IO[str], waiting: list[str], say: Callable[[str], None]) -> None:
    """Say every whole line but the newest, which may be the answer."""
    for line in lines.read().splitlines():
        while waiting:
            say(waiting.pop())
        waiting.append(line)


def _reason(command: str, err: Path, status: int) -> str:
    text = err.read_text("utf-8", "replace").splitlines()
    last = next((line.strip() for line in reversed(text) if line.strip()), f"status {status}")
    return (
        f"Preparing failed: {last.removeprefix('CommandError: ').rstrip('.')}"
        f" (`.venv/bin/python manage.py {command}` shows all of it)."
    )
