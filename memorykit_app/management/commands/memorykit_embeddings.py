"""Embeddings: change the model while recall goes on serving. Counts only; no text is shown."""

from __future__ import annotations

import time
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from memorykit_app import backends
from memorykit_app.domain.errors import Conflict
from memorykit_app.management import options as opts
from memorykit_app.models import ProfileState
from memorykit_app.services import profiles, rebuild, rebuild_compare, rebuild_drop, rebuild_plan
from memorykit_app.services.rebuild import Coverage

_POLL = 0.5
_HELP = {
    "plan": "count what a profile lacks and what it may cost",
    "build": "have the workers make the vectors that a profile lacks; repeat to go on",
    "compare": "print how much of what recall finds now a profile finds too",
    "switch": "let recall search this profile from now on, in every process",
    "drop": "delete a profile's vectors; the serving one is refused",
}


class Command(opts.OperatorCommand):
    help = "Plan, build, compare, switch to and drop embedding profiles."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        made = {verb: verbs.add_parser(verb, help=text) for verb, text in _HELP.items()}
        for verb, one in made.items():
            one.add_argument("--profile", required=True, help="a name of MEMORYKIT[EMBEDDERS]")
            self.writes = verb in ("build", "switch", "drop")
            super().add_arguments(one)
        self.writes = False
        made["plan"].add_argument(
            "--no-measure", action="store_true", help="do not call the embedder"
        )
        made["plan"].add_argument(
            "--price", type=float, metavar="X", help="price of a million tokens, for an estimate"
        )
        for verb in ("build", "switch"):
            made[verb].add_argument(
                "--wait",
                type=_seconds,
                nargs="?",
                const=86_400.0,
                metavar="SECONDS",
                help="wait until it is done, at most so long (a day)",
            )
        opts.add_scope(made["compare"], required=False)
        made["compare"].add_argument(
            "--queries", type=_lines, metavar="FILE", help="questions, one a line"
        )
        made["compare"].add_argument(
            "--sample", type=_count, default=100, help="records to ask with (100)"
        )
        made["drop"].add_argument("--yes", action="store_true", help="do not ask")

    def work(self, options: dict[str, Any]) -> None:
        getattr(self, f"_{options['verb']}")(options["profile"], options)

    def _plan(self, name: str, options: dict[str, Any]) -> None:
        found = rebuild_plan.plan(name, measure=not options["no_measure"])
        price = options["price"]
        cost = None if price is None else found.tokens * price / 1_000_000
        stands = found.coverage
        data = asdict(found) | {"coverage": stands.as_dict(), "cost": cost}
        lines = [
            f"{name}: {found.state}, {found.dimension} numbers, serving is {profiles.serving()}",
            _progress(stands),
            f"to do: {stands.missing} texts, about {found.tokens} tokens and"
            f" {found.bytes / 1_000_000:.1f} MB on disk",
        ]
        if found.seconds is not None:
            lines.append(f"time: about {found.seconds:.0f} s of one worker")
        if cost is not None:
            lines.append(f"cost: about {cost:.2f}")
        self.answer(options, data, lines)

    def _build(self, name: str, options: dict[str, Any]) -> None:
        if options["dry_run"]:
            backends.embedder(name)
            self._told(name, options, rebuild.coverage(name), "would queue what is missing")
            return
        rebuild.build(name)
        if options["wait"] is None:
            self._told(name, options, rebuild.coverage(name), "workers make what is missing")
            return
        stands = self._waited(name, options)
        self._told(name, options, stands, "built" if not stands.missing else "not whole yet")
        if stands.missing:
            raise CommandError(
                f"{stands.missing} vectors are missing, {stands.failed} jobs failed: see"
                " memorykit_jobs list --state failed, then build again",
                returncode=opts.PARTIAL,
            )

    def _waited(self, name: str, options: dict[str, Any]) -> Coverage:
        until = time.monotonic() + options["wait"]
        stands = rebuild.coverage(name)
        with opts.progress(options, total=stands.active, unit="text") as bar:
            while time.monotonic() < until:
                bar.total = stands.active
                bar.update(stands.embedded - bar.n)
                building = profiles.found(name).state == ProfileState.BUILDING
                if not building and not stands.waiting:
                    break
                time.sleep(_POLL)
                stands = rebuild.coverage(name)
        return stands

    def _compare(self, name: str, options: dict[str, Any]) -> None:
        scope = opts.optional_scope(options)
        lines = options["queries"]
        if lines is None:
            questions = rebuild_compare.sampled(scope, limit=options["sample"])
        elif scope is None:
            raise CommandError("--queries needs --tenant and --project", returncode=opts.USAGE)
        else:
            questions = rebuild_compare.asked(scope, lines)
        with opts.progress(options, total=len(questions), unit="query") as bar:
            found = rebuild_compare.compare(
                name, questions, by=opts.operator(), now=backends.clock().now(), step=bar.update
            )
        if found is None:
            raise CommandError("there is nothing to ask with", returncode=opts.FAILED)
        self.answer(
            options,
            asdict(found),
            [
                f"{found.queries} queries, {found.serving} and {found.profile}:",
                f"overlap@10 of recall {found.recall:.3f}",
                f"overlap@10 of vectors alone {found.vector:.3f}, least {found.worst:.3f}",
                f"the same record first by vectors {found.same_first:.3f}",
            ],
        )

    def _switch(self, name: str, options: dict[str, Any]) -> None:
        before = profiles.serving()
        if options["dry_run"]:
            backends.embedder(name)
            self._told(name, options, rebuild.coverage(name), f"would take over from {before}")
            return
        until = time.monotonic() + (options["wait"] or 0)
        while True:
            try:
                changed = profiles.switch(name)
                break
            except Conflict:
                if time.monotonic() >= until:
                    raise
                time.sleep(_POLL)
        said = f"{name} serves; {before} stays on standby" if changed else f"{name} serves already"
        self.answer(options, {"serving": name, "changed": changed, "before": before}, [said])

    def _drop(self, name: str, options: dict[str, Any]) -> None:
        if options["dry_run"]:
            stands = rebuild.coverage(name)
            if name == profiles.serving():
                raise Conflict("the serving profile is not dropped: switch to another one first")
            self._told(name, options, stands, f"would delete {stands.vectors} vectors")
            return
        opts.confirmed(options, f"All vectors of {opts.visible(name)} will be deleted.", name)
        total = rebuild.coverage(name).vectors
        deleted = 0
        with opts.progress(options, total=total, unit="vector") as bar:
            for taken in rebuild_drop.drop(name):
                deleted += taken
                bar.update(taken)
        self.answer(
            options,
            {"profile": name, "vectors": deleted},
            [f"{name} is gone, {deleted} vectors deleted"],
        )

    def _told(self, name: str, options: dict[str, Any], stands: Coverage, said: str) -> None:
        data = {"profile": name, "coverage": stands.as_dict(), "said": said}
        self.answer(options, data, [_progress(stands), f"{name}: {said}"])


def _progress(stands: Coverage) -> str:
    share = f"{stands.embedded / stands.active:.1%}" if stands.active else "nothing to embed"
    return (
        f"{share}: {stands.embedded} of {stands.active} active texts have their vector,"
        f" {stands.waiting} jobs wait, {stands.failed} failed"
    )


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found <= 604_800:
        raise ArgumentTypeError("must be from 0 to 604800 seconds")
    return found


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise ArgumentTypeError("must be from 1 to 10000")
    return int(text)


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise ArgumentTypeError("must be a readable file in UTF-8") from None
