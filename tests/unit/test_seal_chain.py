"""The chain function: each part of each entry decides the hash, and so does all before it."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.domain.seal import Entry, chained

TEXT = st.text(max_size=20)
ENTRIES = st.builds(
    Entry,
    revision_id=st.uuids(),
    memory_id=st.uuids(),
    version=st.integers(1, 1_000),
    action=TEXT,
    actor=TEXT,
    reason=TEXT,
    created_at=st.datetimes(timezones=st.just(UTC)),
)


@given(ENTRIES, ENTRIES)
def test_each_field_alone_decides_the_hash(one, other):
    told = chained("", 1, one)

    for field in fields(Entry):
        changed = replace(one, **{field.name: getattr(other, field.name)})
        assert (chained("", 1, changed) == told) == (changed == one)


@given(ENTRIES, st.text("0123456789abcdef", max_size=64), st.integers(1, 1_000))
def test_place_and_previous_hash_decide_it_too(entry, previous, number):
    told = chained(previous, number, entry)

    assert told != chained(previous + "0", number, entry)
    assert told != chained(previous, number + 1, entry)


@given(ENTRIES, st.integers(-10, 10))
def test_the_zone_a_time_is_told_in_does_not(entry, hours):
    if not 2 <= entry.created_at.year <= 9_998:
        return
    elsewhere = replace(
        entry, created_at=entry.created_at.astimezone(timezone(timedelta(hours=hours)))
    )

    assert chained("", 1, elsewhere) == chained("", 1, entry)
