"""Bare psycopg clients that run the statement of recall and nothing else, in a closed loop.

Reads a pickled plan from standard input and prints the milliseconds of each turn as JSON.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Any

import psycopg
from psycopg.pq import Format


@dataclass(frozen=True, slots=True)
class Plan:
    """`before` prepares the transaction: statements with their parameters, sent along."""

    url: str
    seconds: float
    clients: int
    before: list[tuple[str, Any]]
    asked: list[tuple[str, Any]]


def run(plan: Plan) -> list[float]:
    numbers = count()

    def client(_: int) -> list[float]:
        took = []
        with psycopg.connect(plan.url, autocommit=True) as conn:
            while time.monotonic() < until:
                statement, params = plan.asked[next(numbers) % len(plan.asked)]
                began = time.monotonic()
                _turn(conn, plan.before, statement, params)
                took.append((time.monotonic() - began) * 1_000)
        return took

    until = time.monotonic() + plan.seconds
    with ThreadPoolExecutor(plan.clients) as pool:
        return [each for took in pool.map(client, range(plan.clients)) for each in took]


def _turn(conn: psycopg.Connection, before: list[tuple[str, Any]], text: str, params: Any) -> None:
    cursor = psycopg.Cursor(conn)
    cursor.format = Format.BINARY
    with conn.transaction(), conn.pipeline():
        for statement, given in before:
            psycopg.Cursor(conn).execute(statement.encode(), given)
        cursor.execute(text.encode(), params)
        cursor.fetchall()


if __name__ == "__main__":
    print(json.dumps(run(pickle.load(sys.stdin.buffer))))
