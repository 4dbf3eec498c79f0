"""Rate: one bucket of calls per host key, kept in Redis, counted in one atomic step."""

from __future__ import annotations

from functools import lru_cache

import django_rq
import redis
from redis.commands.core import Script

from memorykit_app import backends, conf
from memorykit_app.api.refusals import TooManyCalls
from memorykit_app.backends.circuit import Circuit
from memorykit_app.domain.errors import Unavailable

_KEY = "memorykit:rate:{prefix}"
# Keeps when the bucket will be full again, by Redis's own clock. Answers 0 when the call may
# pass, else the microseconds to wait. %.0f: plain tostring would round such numbers.
_TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local each = tonumber(ARGV[1])
local wait = full + each - now - each * tonumber(ARGV[2])
if wait > 0 then
    return math.ceil(wait)
end
full = full + each
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1)
return 0
"""
#: While Redis is away, most calls do not even ask it.
circuit = Circuit(failures=3, rest_seconds=2.0)


@lru_cache(maxsize=4)
def _script(queue: str) -> Script:
    # Kept, since every client of django_rq has connections of its own.
    client: redis.Redis = django_rq.get_connection(queue)
    return client.register_script(_TAKE)


def forget_clients() -> None:
    """Drop the kept client, as after a change of settings."""
    _script.cache_clear()


def take(prefix: str, *, reads: bool) -> None:
    """Count one call of a key. Raises TooManyCalls.

    Without Redis it passes, or raises Unavailable, as MEMORYKIT[API][WITHOUT_REDIS] says.
    """
    settings = conf.settings().api
    wait = _wait(prefix, 60_000_000 / settings.calls_per_minute, settings.burst)
    if wait is None:
        if settings.without_redis == "all" or (settings.without_redis == "reads" and reads):
            return
        raise Unavailable
    if wait > 0:
        raise TooManyCalls(wait / 1_000_000)


def _wait(prefix: str, each: float, burst: int) -> int | None:
    """Return the microseconds to wait, or None when Redis does not answer."""
    if not circuit.enter():
        return None
    try:
        script = _script(conf.settings().jobs.queue)
        wait = int(script(keys=[_KEY.format(prefix=prefix)], args=[each, burst]))
    except redis.RedisError as error:
        circuit.failed()
        backends.observer().notify("api.rate_uncounted", {"error": type(error).__name__})
        return None
    circuit.succeeded()
    return wait
