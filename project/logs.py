"""Logs as JSON on standard error: codes, ids and counts, never anybody's text."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import structlog

_LONGEST = 300
_PROCESSORS: list[Any]


def content_free(
    logger: Any, name: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Keep of an exception its type, SQLSTATE and place; of a message its first line.

    The message of an exception may repeat a row's values, and so may further lines.
    """
    caught = event.pop("exc_info", None)
    error = caught[1] if isinstance(caught, tuple) else caught
    if isinstance(error, BaseException):
        event["exception"] = type(error).__name__
        cause = error.__cause__ or error
        if state := getattr(cause, "sqlstate", None):
            event["sqlstate"] = str(state)
        event["at"] = _place(error)
    for unwanted in ("exc_text", "stack_info", "stack", "exception_message"):
        event.pop(unwanted, None)
    # A search in the desk is somebody's text too, and a user agent may be anything.
    event.pop("user_agent", None)
    if isinstance(request := event.get("request"), str):
        event["request"] = request.split("?", 1)[0]
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = value.split("\n", 1)[0][:_LONGEST]
    return event


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "?")
    return f"{module}:{trace.tb_lineno}"


_PROCESSORS = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_settings(level: str) -> dict[str, Any]:
    """Return Django's LOGGING, and let structlog write through the same handler."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_PROCESSORS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*_PROCESSORS, structlog.stdlib.ExtraAdder()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    content_free,
                    structlog.processors.JSONRenderer(ensure_ascii=False),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own handler mails and prints tracebacks with values.
            "django": {"handlers": ["stderr"], "level": level, "propagate": False},
            "django.server": {"handlers": ["stderr"], "level": level, "propagate": False},
            # Statements carry literals.
            "django.db.backends": {"handlers": [], "level": "ERROR", "propagate": False},
            "httpx2": {"level": "WARNING"},
            "httpcore2": {"level": "WARNING"},
        },
    }
