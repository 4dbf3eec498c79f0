"""Migrate, make the demo's people, hand in its transcripts, mint a key: one process for all."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from project.run.demo import Demo
from project.services import keys
from project.services.stack import this_stack


class Command(BaseCommand):
    help = "Prepare the database for `make run`; the last line of output is JSON with a host key."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        stack = this_stack()
        password = keys.development_keys(stack.folder, stack.account)["reviewer_password"]
        database = settings.DATABASES["default"]
        address = f"@{database['HOST']}:{database['PORT']}/{database['NAME']}"
        demo = Demo(stack.folder, address, self._say)
        self._say("Migrating the database")
        # The app's own `migrate` waits while another process migrates.
        call_command("migrate", interactive=False, verbosity=0)
        self._say("Making the groups and the demo reviewer")
        demo.people(password)
        demo.load()
        self.stdout.write(json.dumps({"host_key": demo.host_key()}))

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
