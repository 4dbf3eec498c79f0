"""A client of memorykit's HTTP API for agent hosts, sync and async.

from memorykit_client import Client

with Client("https://memory.example", key, "orchard") as memory:
    run = memory.run("run-7", user_id="u-12")
    context = run.context([{"role": "user", "content": "Which database do we use?"}])
    result = run.call("search_memory", '{"query": "database"}')
    run.validate_output()          # raises WriteFailed after a failed write
"""

from memorykit_client.async_client import AsyncClient
from memorykit_client.client import Client
from memorykit_client.errors import (
    ClientError,
    Conflict,
    Forbidden,
    InvalidArguments,
    InvalidRequest,
    NoAnswer,
    NotFound,
    Problem,
    ToolNotFound,
    TooManyCalls,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    WriteFailed,
)
from memorykit_client.retries import Retries
from memorykit_client.run import AsyncRun, Run

__all__ = [
    "AsyncClient",
    "AsyncRun",
    "Client",
    "ClientError",
    "Conflict",
    "Forbidden",
    "InvalidArguments",
    "InvalidRequest",
    "NoAnswer",
    "NotFound",
    "Problem",
    "Retries",
    "Run",
    "TooManyCalls",
    "ToolNotFound",
    "Unauthorized",
    "Unavailable",
    "UnexpectedAnswer",
    "WriteFailed",
]
