"""Doctor: look at everything an operator answers for, and say what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core import checks
from django.core.management.base import CommandError

from memorykit_app.management import options as opts
from memorykit_app.services.diagnosis import LABEL, Finding, Level, diagnose


class Command(opts.OperatorCommand):
    help = (
        "Look at settings, database, row-level security, Redis, workers, jobs and embeddings."
        " Exits 1 when something fails."
    )
    # It reports these itself, beside the rest.
    requires_system_checks: list[str] = []

    def work(self, options: dict[str, Any]) -> None:
        found = [*_settings(), *diagnose()]
        rows = [(one.level.upper(), one.name, one.detail) for one in found]
        lines = opts.table(("", "WHAT", "FOUND"), rows)
        steps = [one for one in found if one.step and one.level in (Level.WARN, Level.FAIL)]
        lines += [f"-> {one.name}: {one.step}" for one in steps]
        counts = Counter(one.level for one in found)
        answer = {
            "healthy": not counts[Level.FAIL],
            "findings": [asdict(one) for one in found],
        }
        self.answer(options, answer, lines)
        if counts[Level.FAIL]:
            raise CommandError(f"{counts[Level.FAIL]} of {len(found)} fail", returncode=opts.FAILED)


def _settings() -> Iterator[Finding]:
    found = checks.run_checks(tags=[LABEL])
    for message in found:
        level = Level.FAIL if message.is_serious() else Level.WARN
        yield Finding("settings", level, f"{message.id} {message.msg}", message.hint or "")
    if not found:
        yield Finding("settings", Level.OK, "valid")
