"""Probes of the edge: routes and admin pages from the URL list, commands from the command list."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping

from django.apps import apps
from django.core.management import call_command, get_commands
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.encoding import force_str

from memorykit_app.testing.edge_rows import (
    API,
    COMMANDS,
    DESK,
    EVERYWHERE,
    PAGES,
    ROUTES,
    SERVERS,
    STOCK,
    Row,
)
from memorykit_app.testing.pair import Ids, Pair, elsewhere
from memorykit_app.testing.two_scopes import Probe


def patterns(under: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (path with {parts}, name, parts) of every pattern of the URL list below a prefix."""

    def walk(found: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, str]]:
        for entry in found:
            path = f"{before}{entry.pattern}"
            if isinstance(entry, URLResolver):
                yield from walk(entry.url_patterns, path)
            else:
                yield path, entry.name or ""

    for path, name in walk(get_resolver().url_patterns, ""):
        if path.startswith(under):
            plain = "".join(
                "{" + part.split(">")[0].split(":")[-1] + "}" + part.split(">")[1]
                if ">" in part
                else part
                for part in path.split("<")
            )
            parts = [part.split("}")[0] for part in plain.split("{")[1:]]
            yield f"/{plain}", name, parts


def routes(rows: Mapping[str, Row] = ROUTES, *, under: str = API) -> list[Probe]:
    """Return two probes a route: the other's ids in the own project, and the other's project."""
    found = []
    for path, name, _ in patterns(under):
        row = rows.get(name)
        if row is None:
            continue
        found.append(Probe(name=f"route {name}", ask=_route(path, row, foreign=False)))
        found.append(
            Probe(name=f"route {name}, foreign project", ask=_route(path, row, foreign=True))
        )
    return found


def _route(path: str, row: Row, *, foreign: bool) -> Callable[[Pair, Ids], object]:
    def ask(pair: Pair, ids: Ids) -> object:
        named = ids if foreign else elsewhere(ids, pair.mine.subject_id)
        return Client(raise_request_exception=True).generic(
            row.method,
            path.format(**_parts(named)),
            json.dumps(row.body(ids)) if row.method != "GET" else "",
            content_type="application/json",
            headers={"Authorization": f"Bearer {pair.secret}"},
        )

    return ask


def pages(
    rows: Mapping[str, tuple[Row, ...]] = PAGES,
    *,
    under: str = DESK,
    stock: tuple[str, ...] = STOCK,
) -> list[Probe]:
    """Return the probes of the pages; those of `stock` models need no row."""
    found = []
    for path, name, _ in patterns(under):
        if _is_stock(path, stock):
            found.append(Probe(name=f"page {name or path}", ask=_page(path, Row())))
            continue
        found += [
            Probe(name=f"page {name} {row.method} {number}", ask=_page(path, row))
            for number, row in enumerate(rows.get(name, ()), 1)
        ]
    return found


def _page(path: str, row: Row) -> Callable[[Pair, Ids], object]:
    def ask(pair: Pair, ids: Ids) -> object:
        client = Client(raise_request_exception=True)
        client.force_login(pair.person)
        place = path.format(**_parts(ids))
        return client.get(place) if row.method == "GET" else client.post(place, row.body(ids))

    return ask


def commands(
    rows: Mapping[str, tuple[Callable[[Pair, Ids], list[str]], ...]] = COMMANDS,
    everywhere: Mapping[str, Callable[[Pair, Ids], list[str]]] = EVERYWHERE,
) -> list[Probe]:
    """Return the probes of the commands."""
    names = _names()
    return [
        Probe(name=f"command {name} {number}", ask=_command(name, arguments))
        for name in names
        for number, arguments in enumerate(rows.get(name, ()), 1)
    ] + [
        Probe(
            name=f"command {name} everywhere",
            ask=_command(name, everywhere[name]),
            everywhere=True,
        )
        for name in names
        if name in everywhere
    ]


def unprobed(
    route_rows: Mapping[str, Row] = ROUTES,
    page_rows: Mapping[str, tuple[Row, ...]] = PAGES,
    command_rows: Collection[str] = frozenset({*COMMANDS, *EVERYWHERE}),
) -> list[str]:
    """Return the routes, pages and commands that nobody tells how to call."""
    return [
        *(f"route {name or path}" for path, name, _ in patterns(API) if name not in route_rows),
        *(
            f"page {name or path}"
            for path, name, _ in patterns(DESK)
            if name not in page_rows and not _is_stock(path, STOCK)
        ),
        *(f"command {name}" for name in _names() if name not in command_rows),
    ]


def _names() -> list[str]:
    app = apps.get_app_config("memorykit").name
    left_out = SERVERS | {"migrate"}
    return sorted(name for name, of in get_commands().items() if of == app and name not in left_out)


def _is_stock(path: str, stock: tuple[str, ...]) -> bool:
    return any(f"memorykit/{model}/" in path for model in stock)


def _command(
    name: str, arguments: Callable[[Pair, Ids], list[str]]
) -> Callable[[Pair, Ids], object]:
    def ask(pair: Pair, ids: Ids) -> object:
        out, err = io.StringIO(), io.StringIO()
        call_command(name, *arguments(pair, ids), stdout=out, stderr=err)
        return out.getvalue() + err.getvalue()

    return ask


def _parts(ids: Ids) -> dict[str, str]:
    return {
        "project": ids.project,
        "memory_id": str(ids.memory_id),
        "job_id": str(ids.job_id),
        "receipt_id": str(ids.receipt_id),
        "verb": "forget",
        "chart": "backlog",
        "object_id": force_str(ids.job_id),
    }
