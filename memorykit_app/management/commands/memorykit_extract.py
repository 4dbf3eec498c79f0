"""Extract: hand in a finished transcript; the same durable job as by HTTP."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from memorykit_app import backends, conf
from memorykit_app.domain import transcript_format
from memorykit_app.management import options as opts
from memorykit_app.models import JobState
from memorykit_app.services import extraction, extraction_outcome, transcripts
from memorykit_app.services.extraction_outcome import Outcome

_LOOK_EVERY = 0.25


class Command(opts.OperatorCommand):
    help = (
        "Hand in a finished transcript (JSON Lines or a JSON array of chat messages). A job"
        " extracts candidates from it, which a reviewer decides on."
    )
    writes = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the transcript; - reads standard input")
        opts.add_scope(parser)
        parser.add_argument("--run-id", default="", help="the run: the same run is the same job")
        parser.add_argument("--wait", action="store_true", help="wait for the candidates")
        parser.add_argument(
            "--timeout",
            type=float,
            default=600.0,
            metavar="SECONDS",
            help="how long --wait waits (600)",
        )
        super().add_arguments(parser)

    def work(self, options: dict[str, Any]) -> None:
        scope, data = opts.scope_of(options), _read(options["file"])
        now = backends.clock().now()
        if options["dry_run"]:
            self._drafts(options, data)
            return
        taken = transcripts.submit(
            data, scope=scope, by=opts.operator(), now=now, run_id=options["run_id"]
        )
        answer = asdict(taken)
        lines = [
            f"job {taken.job_id}: {taken.state}, {taken.message_count} messages"
            + (" (handed in before)" if taken.replayed else "")
        ]
        if not options["wait"]:
            self.answer(options, answer, lines)
            return
        done = self._wait(options, taken.job_id)
        found = [
            {"id": memory.pk, "kind": memory.kind, "key": memory.key, "state": memory.state}
            for memory in done.candidates
        ]
        answer |= {
            "state": done.state,
            "attempts": done.attempts,
            "failure_code": done.failure_code,
            "candidates": found,
        }
        noun = "candidate" if len(found) == 1 else "candidates"
        lines = [f"job {taken.job_id}: {done.state}, {len(found)} {noun}"]
        if found:
            lines += opts.table(
                ("ID", "KIND", "KEY"), [(m["id"], m["kind"], m["key"]) for m in found]
            )
        self.answer(options, answer, lines)
        if done.state is not JobState.COMPLETED:
            reason = f" ({done.failure_code})" if done.failure_code else ""
            raise CommandError(
                f"the job ended as {done.state}{reason}: `memorykit_jobs redrive {taken.job_id}`"
                " tries it again",
                returncode=opts.FAILED,
            )

    def _drafts(self, options: dict[str, Any], data: bytes) -> None:
        messages = transcript_format.parse(data, limits=conf.settings().limits)
        found = extraction.draft(messages, now=backends.clock().now())
        drafts = [asdict(draft) for draft in found]
        lines = [f"{len(found)} drafts from {len(messages)} messages, nothing stored"]
        for draft in found:
            flags = f" [{', '.join(draft.flags)}]" if draft.flags else ""
            lines += [
                f"{draft.kind} {draft.key}{flags}",
                f"    {draft.content}",
                f"    message {draft.message_index}: {draft.quote}",
            ]
        self.answer(options, {"message_count": len(messages), "drafts": drafts}, lines)

    def _wait(self, options: dict[str, Any], job_id: UUID) -> Outcome:
        scope, by = opts.scope_of(options), opts.operator()
        until = time.monotonic() + options["timeout"]
        with opts.progress(options, total=None, unit="s") as bar:
            began = time.monotonic()
            while True:
                seen = extraction_outcome.outcome(job_id, scope=scope, by=by)
                bar.set_description_str(f"{seen.state}, attempt {seen.attempts}")
                bar.update(round(time.monotonic() - began) - bar.n)
                if seen.final:
                    return seen
                if time.monotonic() >= until:
                    raise CommandError(
                        f"job {job_id} is still {seen.state}; it goes on without this command."
                        " Is a worker running? memorykit_doctor tells.",
                        returncode=opts.FAILED,
                    )
                time.sleep(_LOOK_EVERY)


def _read(name: str) -> bytes:
    """Return at most one byte more than a transcript may have. Raises CommandError."""
    most = conf.settings().limits.transcript_bytes + 1
    if name == "-":
        return sys.stdin.buffer.read(most)
    try:
        with open(name, "rb") as file:
            return file.read(most)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CommandError(f"{name}: cannot be read ({reason})", returncode=opts.USAGE) from None
