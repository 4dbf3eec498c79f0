"""Verification: look for words that were erased in every place this system writes."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import django_rq
from django.db import connection
from psycopg import sql

from memorykit_app import conf
from memorykit_app.domain.errors import InvalidMemory, MemoryNotFound
from memorykit_app.models import ErasureReceipt, ScopeRecord, sealed
from memorykit_app.services import erasure

MIN_PROBE = 4
_COLUMNS = """
SELECT c.table_name, c.column_name, k.relrowsecurity
  FROM information_schema.columns AS c
  JOIN pg_class AS k ON k.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
 WHERE c.table_schema = current_schema() AND k.relkind IN ('r', 'p', 'm')
 ORDER BY 1, c.ordinal_position
"""
_STATISTICS = """
SELECT count(*) FROM pg_stats
 WHERE schemaname = current_schema()
   AND EXISTS (
       SELECT FROM unnest(most_common_vals::text::text[] || histogram_bounds::text::text[]) AS kept
        WHERE position(%(probe)s IN kept) > 0
   )
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place where probe number `probe` (from 0) was found, and how often; never its text."""

    store: str
    place: str
    probe: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was looked at and found; `intact` tells whether the receipt is as it was written."""

    receipt_id: UUID
    intact: bool
    hits: tuple[Hit, ...]
    columns: int
    redis_keys: int
    log_files: int

    @property
    def clean(self) -> bool:
        return self.intact and not self.hits


def verify(receipt_id: UUID, probes: list[str], *, logs: Iterable[Path] = ()) -> Report:
    """Search all tables, planner statistics, Redis and log files for the probes.

    Raises MemoryNotFound when there is no such receipt, InvalidMemory when a probe is blank or
    shorter than 4 characters (it would be found everywhere).
    """
    if not probes or any(len(probe.strip()) < MIN_PROBE for probe in probes):
        raise InvalidMemory("probes", f"must be texts of at least {MIN_PROBE} characters")
    receipt = _receipt(receipt_id)
    columns = _columns()
    keys = list(_redis_values())
    files = [path for folder in logs for path in sorted(folder.rglob("*")) if path.is_file()]
    hits = [
        hit
        for number, probe in enumerate(probes)
        for hit in (
            *_in_tables(number, probe, columns),
            *_in_statistics(number, probe),
            *_in_redis(number, probe, keys),
            *_in_files(number, probe, files),
        )
    ]
    return Report(
        receipt_id=receipt_id,
        intact=receipt.hash == erasure.receipt_hash(receipt),
        hits=tuple(hits),
        columns=len(columns),
        redis_keys=len(keys),
        log_files=len(files),
    )


def forms(probe: str) -> set[str]:
    """Return how a text may be written down: as it is, in JSON, in hex and in base64."""
    raw = probe.encode()
    written = {
        probe,
        json.dumps(probe)[1:-1],
        json.dumps(probe, ensure_ascii=False)[1:-1],
        raw.hex(),
    }
    for shift in range(3):
        # Base64 of a longer text holds this one at one of three offsets; the edges are cut off.
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        written.add(encoded[4 if shift else 0 : -4])
    return {form for form in written if len(form) >= MIN_PROBE}


def _receipt(receipt_id: UUID) -> ErasureReceipt:
    for record in ScopeRecord.objects.order_by("id"):
        with sealed(record.scope):
            found = ErasureReceipt.objects.in_scope(record.scope).filter(pk=receipt_id).first()
        if found is not None:
            return found
    raise MemoryNotFound("no erasure receipt has this id")


def _columns() -> list[tuple[str, str, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        return list(cursor.fetchall())


def _in_tables(number: int, probe: str, columns: list[tuple[str, str, bool]]) -> Iterator[Hit]:
    found: dict[str, int] = {}
    wanted = sorted(forms(probe))
    for record in [None, *ScopeRecord.objects.order_by("id")]:
        seal = nullcontext() if record is None else sealed(record.scope)
        with seal, connection.cursor() as cursor:
            for table, column, scoped in columns:
                if scoped is (record is None):
                    continue
                query = sql.SQL(
                    "SELECT count(*) FROM {table} AS t WHERE EXISTS (SELECT FROM"
                    " unnest(%s::text[]) AS form WHERE position(form IN t.{column}::text) > 0)"
                ).format(table=sql.Identifier(table), column=sql.Identifier(column))
                cursor.execute(query, [wanted])
                count = cursor.fetchone()[0]
                if count:
                    place = f"{table}.{column}"
                    found[place] = found.get(place, 0) + count
    for place, count in sorted(found.items()):
        yield Hit(store="table", place=place, probe=number, count=count)


def _in_statistics(number: int, probe: str) -> Iterator[Hit]:
    with connection.cursor() as cursor:
        cursor.execute(_STATISTICS, {"probe": probe})
        count = cursor.fetchone()[0]
    if count:
        yield Hit(store="statistics", place="pg_stats", probe=number, count=count)


def _redis_values() -> Iterator[tuple[str, list[bytes]]]:
    """Yield every key of the queue's Redis with the parts of its value."""
    client: Any = django_rq.get_connection(conf.settings().jobs.queue)
    for key in client.scan_iter(count=500):
        match client.type(key):
            case b"string":
                parts = [client.get(key) or b""]
            case b"hash":
                parts = [part for pair in client.hgetall(key).items() for part in pair]
            case b"list":
                parts = client.lrange(key, 0, -1)
            case b"set":
                parts = list(client.smembers(key))
            case b"zset":
                parts = client.zrange(key, 0, -1)
            case b"stream":
                entries = client.xrange(key)
                parts = [part for _, fields in entries for pair in fields.items() for part in pair]
            case _:
                parts = []
        yield key.decode(errors="replace"), [key, *parts]


def _in_redis(number: int, probe: str, keys: list[tuple[str, list[bytes]]]) -> Iterator[Hit]:
    for name, parts in keys:
        if any(holds(part, probe) for part in parts):
            yield Hit(store="redis", place=name, probe=number, count=1)


def _in_files(number: int, probe: str, files: list[Path]) -> Iterator[Hit]:
    for path in files:
        if holds(path.read_bytes(), probe):
            yield Hit(store="log", place=path.name, probe=number, count=1)


def holds(value: bytes, probe: str) -> bool:
    """Tell whether bytes hold a text, also inside zlib or base64."""
    wanted = [form.encode() for form in forms(probe)]
    return any(form in layer for layer in _layers(value) for form in wanted)


def _layers(value: bytes) -> Iterator[bytes]:
    yield value
    # A zlib stream may itself hold line ends, so the value is tried whole as well.
    for part in {value, *value.split(b"\n")}:
        with suppress(zlib.error):
            yield zlib.decompress(part)
        try:
            decoded = base64.b64decode(part, validate=True)
        except binascii.Error:
            continue
        yield decoded
        with suppress(zlib.error):
            yield zlib.decompress(decoded)
