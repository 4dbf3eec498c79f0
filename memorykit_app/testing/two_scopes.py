"""Two scopes: nothing of one is told to a caller who was given the other.

A probe asks about ids of the other scope, and about ids that exist nowhere while the other scope
is still empty. Both outcomes must be the same, to the last character of an error: then content,
count and error text tell nothing. The probes of services, routes, pages and commands are found by
looking (`service_probes`, `edge_probes`), so a new one without a row fails; a host project passes
its own ones on beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from statistics import median
from time import perf_counter

from memorykit_app.models import sealed
from memorykit_app.testing import pair as pairs
from memorykit_app.testing.outcome import told
from memorykit_app.testing.pair import Ids, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One thing that a caller can do, with ids that are not the caller's.

    `sealed` runs it in the transaction of the caller's scope, as services run their inner parts.
    `everywhere` marks what works for the whole installation by design, such as a sweep: it may
    count, but tell no content.
    """

    name: str
    ask: Callable[[Pair, Ids], object]
    sealed: bool = False
    everywhere: bool = False

    def __str__(self) -> str:
        return self.name


def leaks(probes: Iterable[Probe]) -> dict[str, list[str]]:
    """Return by probe what it told, or changed, of the other scope; empty when all is well.

    Runs in the caller's transaction, on a tenant of its own, and takes back what it does.
    """
    found: dict[str, list[str]] = {}
    probes = list(probes)
    with pairs.undone():
        pair = pairs.make()
        before = {probe.name: _outcome(probe, pair, pairs.nowhere()) for probe in probes}
        theirs = pairs.fill(pair.theirs, by=pair.by, now=pair.now)
        rows = pairs.content_of(pair.theirs)
        for probe in probes:
            with pairs.undone():
                after = _asked(probe, pair, theirs)
                changed = pairs.content_of(pair.theirs) != rows
            told_of = _told_of(probe, before[probe.name], after, changed=changed)
            if told_of:
                found[probe.name] = told_of
    return found


def silent(probes: Iterable[Probe]) -> set[str]:
    """Return the probes that answer the caller's own ids as they answer ids of nothing.

    They prove little: look whether each has a reason.
    """
    with pairs.undone():
        pair = pairs.make()
        return {
            probe.name
            for probe in probes
            if _outcome(probe, pair, pair.own) == _outcome(probe, pair, pairs.nowhere())
        }


def time_apart(probe: Probe, pair: Pair, theirs: Ids, *, calls: int = 500) -> float:
    """Return the difference of the median times, in milliseconds, of not yours and not there.

    By turns, so that a busy moment of the machine weighs on both.
    """
    absent = pairs.nowhere()
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(calls):
        for there, ids in ((True, theirs), (False, absent)):
            start = perf_counter()
            _asked(probe, pair, ids)
            times[there].append(perf_counter() - start)
    return abs(median(times[True]) - median(times[False])) * 1000


def _told_of(probe: Probe, before: str, after: str, *, changed: bool) -> list[str]:
    found = []
    if after != before and not probe.everywhere:
        same = takewhile(lambda both: both[0] == both[1], zip(before, after, strict=False))
        at = sum(1 for _ in same)
        start = max(0, at - 40)
        found.append(
            f"not there: {before[start : at + 80]!r}; not yours: {after[start : at + 80]!r}"
        )
    if pairs.MARKER.lower() in after.lower():
        found.append("the outcome holds text of the other scope")
    if changed and not probe.everywhere:
        found.append("a row of the other scope changed")
    return found


def _outcome(probe: Probe, pair: Pair, ids: Ids) -> str:
    with pairs.undone():
        return _asked(probe, pair, ids)


def _asked(probe: Probe, pair: Pair, ids: Ids) -> str:
    def call() -> object:
        if not probe.sealed:
            return probe.ask(pair, ids)
        with sealed(pair.mine):
            return probe.ask(pair, ids)

    return told(call, ids.texts())
