"""Search terms of active memories: written on becoming active, gone on leaving."""

from __future__ import annotations

from django.db import connection

from memorykit_app.domain import terms
from memorykit_app.models import Memory

_INSERT = """
INSERT INTO memorykit_term (scope_id, term, memory_id, weight)
SELECT %s, word.term, %s, word.weight
  FROM unnest(%s::text[], %s::smallint[]) AS word (term, weight)
"""
_DELETE = "DELETE FROM memorykit_term WHERE scope_id = %s AND memory_id = %s"


def clear(memory: Memory) -> None:
    """Delete the terms of a memory."""
    with connection.cursor() as cursor:
        cursor.execute(_DELETE, [memory.scope_id, memory.pk])


def add(memory: Memory) -> None:
    """Write the terms of a memory that has just become active, and so has none."""
    weights = terms.weighted_terms(memory.key, memory.content)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [memory.scope_id, memory.pk, list(weights), list(weights.values())])


def index(memory: Memory) -> None:
    """Replace the terms of an active memory by those of its key and content."""
    clear(memory)
    add(memory)
