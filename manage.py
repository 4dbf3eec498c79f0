#!/usr/bin/env python
"""Django's command line."""

import os
import sys

#: Commands that run for long and are followed by their log.
SERVERS = {"rqworker", "rqworker-pool", "memorykit_sweep", "runserver"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    if not SERVERS.intersection(sys.argv[1:2]):
        # A person reads the answer, not the log.
        os.environ.setdefault("LOG_LEVEL", "WARNING")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    from project.services.errors import ServiceError

    try:
        execute_from_command_line(sys.argv)
    except ServiceError as error:
        sys.exit(f"manage.py: {error}")
    except BrokenPipeError:
        # Whoever read the output, such as `head`, has enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OperationalError as error:
        # Without an SQLSTATE no server said it: there was no connection.
        if getattr(error.__cause__, "sqlstate", None) is not None:
            raise
        sys.exit(
            "manage.py: The database does not answer: start it with `make run` or `manage.py"
            " memorykit_services start`, or correct DATABASE_URL."
        )


if __name__ == "__main__":
    main()
