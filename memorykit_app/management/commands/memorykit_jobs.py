"""Jobs: look at them, queue one again, end one. Ids and codes; there is no payload."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from memorykit_app.domain.errors import Conflict, MemoryNotFound
from memorykit_app.management import options as opts
from memorykit_app.models import Job, JobKind, JobState
from memorykit_app.services import jobs

_MOST = 10_000
_VERBS = {"redrive": jobs.redrive, "cancel": jobs.cancel}


class Command(opts.OperatorCommand):
    help = "List jobs, redrive those that failed, cancel those that should not run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        listing = verbs.add_parser("list", help="show jobs, latest change first")
        opts.add_scope(listing, required=False)
        listing.add_argument("--state", choices=[*JobState])
        listing.add_argument("--kind", choices=[*JobKind])
        listing.add_argument("--limit", type=int, default=50, help="at most so many (50)")
        super().add_arguments(listing)
        for verb, text in (
            ("redrive", "queue failed or cancelled jobs again"),
            ("cancel", "end jobs; whoever holds one writes nothing"),
        ):
            change = verbs.add_parser(verb, help=text)
            change.add_argument("ids", nargs="*", type=UUID, metavar="ID")
            if verb == "redrive":
                change.add_argument(
                    "--all-failed", action="store_true", help="every job in state failed"
                )
            change.add_argument(
                "--dry-run", action="store_true", help="name the jobs and write nothing"
            )
            super().add_arguments(change)

    def work(self, options: dict[str, Any]) -> None:
        if options["verb"] == "list":
            found = jobs.listed(
                state=options["state"] and JobState(options["state"]),
                kind=options["kind"] and JobKind(options["kind"]),
                scope=opts.optional_scope(options),
                limit=options["limit"],
            )
            self.answer(options, [_data(job) for job in found], _lines(found))
            return
        self._change(options)

    def _change(self, options: dict[str, Any]) -> None:
        act, ids = _VERBS[options["verb"]], list(options["ids"])
        if options.get("all_failed"):
            ids += [job.pk for job in jobs.listed(state=JobState.FAILED, limit=_MOST)]
        elif not ids:
            raise CommandError("name at least one job", returncode=opts.USAGE)
        if options["dry_run"]:
            self.answer(
                options,
                {"jobs": ids},
                [f"would {options['verb']} {job_id}" for job_id in ids] or ["no jobs"],
            )
            return
        done: list[Job] = []
        refused: dict[UUID, str] = {}
        for job_id in ids:
            try:
                done.append(act(job_id, by=opts.operator()))
            except (Conflict, MemoryNotFound) as error:
                refused[job_id] = str(error)
        answer = {
            "jobs": [_data(job) for job in done],
            "refused": [{"id": job_id, "reason": text} for job_id, text in refused.items()],
        }
        lines = [f"{job.pk}: {job.state}" for job in done]
        lines += [f"{job_id}: refused, {text}" for job_id, text in refused.items()]
        self.answer(options, answer, lines or ["no jobs"])
        if refused:
            raise CommandError(
                f"{len(refused)} of {len(ids)} jobs were refused",
                returncode=opts.PARTIAL if done else opts.FAILED,
            )


def _data(job: Job) -> dict[str, Any]:
    return {
        "id": job.pk,
        "kind": job.kind,
        "state": job.state,
        "attempts": job.attempts,
        "max_attempts": job.max_attempts,
        "due_at": job.due_at,
        "lease_owner": job.lease_owner,
        "lease_until": job.lease_until,
        "failure_code": job.failure_code,
        "result_count": job.result_count,
        "updated_at": job.updated_at,
    }


def _lines(found: list[Job]) -> list[str]:
    if not found:
        return ["no jobs"]
    rows = [
        (
            job.pk,
            job.kind,
            job.state,
            f"{job.attempts}/{job.max_attempts}",
            job.failure_code or job.lease_owner,
            job.updated_at.isoformat(timespec="seconds"),
        )
        for job in found
    ]
    return opts.table(("ID", "KIND", "STATE", "TRIES", "WHY OR WHO", "CHANGED"), rows)
