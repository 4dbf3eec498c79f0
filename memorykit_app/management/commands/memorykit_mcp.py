"""MCP: offer the memory tools to a model's client, over stdio or over HTTP."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any, Final
from uuid import uuid4

import anyio
import uvicorn
from django.core.management.base import CommandError
from mcp.server.stdio import stdio_server

from memorykit_app.domain.actors import Capability
from memorykit_app.management import options as opts
from memorykit_app.mcp import http, server
from memorykit_app.mcp.binding import Binding

KEY: Final = "MEMORYKIT_HOST_KEY"
_SHUTDOWN_SECONDS = 10


class Command(opts.OperatorCommand):
    help = (
        "Serve the memory tools over the Model Context Protocol. Over stdio for one local client:"
        f" its key comes from the environment ({KEY}), its project from --project. With --http"
        " for many: each request brings a key, the path names the project."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", help="the project, over stdio")
        parser.add_argument(
            "--run-id", help="the host's id of this run; kept in the history (default: made up)"
        )
        parser.add_argument(
            "--user-id",
            default="mcp",
            help="the host's id of the user the model acts for; kept in the history, so no name",
        )
        parser.add_argument("--http", metavar="HOST:PORT", help="serve streamable HTTP there")

    def work(self, options: dict[str, Any]) -> None:
        if options["http"]:
            self._serve_http(options["http"])
            return
        binding = self._binding(options)
        binding.run(Capability.READ, counted=False)
        anyio.run(_serve_stdio, binding)

    def _binding(self, options: dict[str, Any]) -> Binding:
        token = os.environ.get(KEY, "")
        if not token:
            raise CommandError(
                f"put a host key into {KEY}; memorykit_hostkey create prints one",
                returncode=opts.USAGE,
            )
        if not options["project"]:
            raise CommandError("--project is needed over stdio", returncode=opts.USAGE)
        return Binding(
            token=token,
            project=options["project"],
            run_id=options["run_id"] or f"mcp:{uuid4()}",
            user_id=options["user_id"],
        )

    def _serve_http(self, address: str) -> None:
        host, colon, port = address.rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65_535:
            raise CommandError("--http takes HOST:PORT, such as 127.0.0.1:8765", returncode=2)
        self.stderr.write(f"MCP at http://{address}{http.PATH}")
        uvicorn.run(
            http.application(),
            host=host.strip("[]"),
            port=int(port),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )


async def _serve_stdio(binding: Binding) -> None:
    made = server.make(lambda _context: binding)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
