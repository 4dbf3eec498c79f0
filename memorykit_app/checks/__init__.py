"""System checks: what is wrong is found at start and not at the first request.

Only those in `server`, tagged `database`, ask the server.
"""

from memorykit_app.checks import deployment, parts, queue, server

__all__ = ["deployment", "parts", "queue", "server"]
