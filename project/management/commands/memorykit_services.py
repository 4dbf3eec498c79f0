"""Start, stop and look at the project's own PostgreSQL and Valkey."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from project.services.errors import ServiceError
from project.services.stack import Stack, this_stack


class Command(BaseCommand):
    help = "Start, stop or show the project's own PostgreSQL and Valkey."
    # They must work before anything that the checks look at runs.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["start", "stop", "status"])
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            stack = this_stack()
            if options["action"] == "start":
                stack.up()
            elif options["action"] == "stop":
                stack.down()
            status = stack.status()
        except ServiceError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps({"data": str(stack.folder), **status}))
        else:
            self._print(stack, status)
        if options["action"] == "status" and not all(s["running"] for s in status.values()):
            raise CommandError("not everything runs", returncode=1)

    def _print(self, stack: Stack, status: dict[str, dict[str, Any]]) -> None:
        for name, server in status.items():
            word = "running" if server["running"] else "stopped"
            if not server["managed"]:
                where = "given by the environment"
            elif server["port"]:
                where = f"own, port {server['port']}"
            else:
                where = "own"
            self.stdout.write(f"{name}: {word} ({where})")
        self.stdout.write(f"data: {stack.folder}")
