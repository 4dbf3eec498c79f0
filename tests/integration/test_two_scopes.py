"""The shipped two-scope suite, run on every service, route, page and command of this project."""

from __future__ import annotations

import pytest

from memorykit_app.domain.errors import MemoryNotFound
from memorykit_app.models import Memory, Source, sealed
from memorykit_app.testing import edge_probes, service_probes, two_scopes
from memorykit_app.testing import pair as pairs
from memorykit_app.testing.two_scopes import Probe

pytestmark = pytest.mark.django_db
PROBES = {
    "services": service_probes.probes(),
    "routes": edge_probes.routes(),
    "pages": edge_probes.pages(),
    "commands": edge_probes.commands(),
}


def test_a_new_service_route_page_or_command_has_a_row():
    assert service_probes.unprobed() + edge_probes.unprobed() == []


@pytest.mark.parametrize("probes", PROBES.values(), ids=PROBES)
def test_a_caller_learns_nothing_of_another_scope(probes):
    assert two_scopes.leaks(probes) == {}


def test_the_routes_answer_a_caller_about_what_is_theirs():
    # The same for every caller; only what a model wrote itself.
    without = {"route list_tools", "route call_review_status"}

    assert two_scopes.silent(PROBES["routes"]) == without


def in_their_scope(act):
    def ask(pair, ids):
        with sealed(pair.theirs):
            return act(pair, ids)

    return ask


def telling(pair, ids):
    if Memory.objects.in_scope(pair.theirs).filter(pk=ids.memory_id).exists():
        raise MemoryNotFound("this memory belongs to somebody else")
    raise MemoryNotFound


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda pair, ids: list(Memory.objects.in_scope(pair.theirs)), "holds text"),
        (lambda pair, ids: Memory.objects.in_scope(pair.theirs).count(), "not there: '0'"),
        (telling, "belongs to somebody else"),
        (
            lambda pair, ids: Source.objects.in_scope(pair.theirs).all().delete() and None,
            "a row of the other scope changed",
        ),
    ],
    ids=["content", "count", "error", "write"],
)
def test_a_planted_leak_is_found(act, told):
    probe = Probe(name="planted", ask=in_their_scope(act))

    assert told in str(two_scopes.leaks([probe])["planted"])


def test_what_works_everywhere_may_count_but_tell_no_content():
    def count(pair, ids):
        return Memory.objects.in_scope(pair.theirs).count()

    def tell(pair, ids):
        return list(Memory.objects.in_scope(pair.theirs))

    probes = [
        Probe(name="counting", ask=in_their_scope(count), everywhere=True),
        Probe(name="telling", ask=in_their_scope(tell), everywhere=True),
    ]

    assert two_scopes.leaks(probes) == {"telling": ["the outcome holds text of the other scope"]}


def test_what_has_no_row_is_named():
    routes = {name: row for name, row in edge_probes.ROUTES.items() if name != "recall"}

    assert "route recall" in edge_probes.unprobed(route_rows=routes)
    assert "page memorykit_item" in edge_probes.unprobed(page_rows={})
    assert "command memorykit_erase" in edge_probes.unprobed(command_rows=())
    assert "creation.create" in service_probes.unprobed(rows={})


def test_the_time_apart_is_measured():
    pair = pairs.make()
    theirs = pairs.fill(pair.theirs, by=pair.by, now=pair.now)
    probe = Probe(name="read", ask=lambda pair, ids: ids.project)

    assert 0 <= two_scopes.time_apart(probe, pair, theirs, calls=3) < 1_000
