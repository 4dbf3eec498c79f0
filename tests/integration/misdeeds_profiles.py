"""Misdeeds against embedding profiles."""

from __future__ import annotations

from memorykit_app.models import Embedding, Profile, ProfileState
from tests.integration.misdeeds import Act, embedding_of, insert, misdeed, raw
from tests.records import NOW, SCOPE, active


def profile(name: str, state: ProfileState) -> Profile:
    row = Profile(name=name, dimension=3, state=state.value, created_at=NOW)
    row.save(force_insert=True)
    return row


@misdeed("memorykit_profile_one_serving")
def let_two_profiles_serve() -> Act:
    profile("one", ProfileState.SERVING)
    return insert(Profile(name="two", dimension=3, state="serving", created_at=NOW))


@misdeed("memorykit_profile_state")
def give_a_profile_a_state_of_its_own() -> Act:
    return insert(Profile(name="one", dimension=3, state="resting", created_at=NOW))


@misdeed("memorykit_profile_change", "memorykit_profile_fixed")
def rename_a_profile() -> Act:
    profile("one", ProfileState.STANDBY)
    return raw("UPDATE memorykit_profile SET name = 'two'")


@misdeed("memorykit_profile_change", "memorykit_profile_arrow")
def serve_what_is_being_built() -> Act:
    profile("one", ProfileState.BUILDING)
    return raw("UPDATE memorykit_profile SET state = 'serving'")


@misdeed("memorykit_profile_change", "memorykit_profile_arrow")
def drop_the_serving_profile() -> Act:
    profile("one", ProfileState.SERVING)
    return raw("UPDATE memorykit_profile SET state = 'dropping'")


@misdeed("memorykit_profile_change", "memorykit_profile_incomplete")
def switch_to_an_incomplete_profile() -> Act:
    record = active()
    embedding_of(record, content_hash=record.content_hash).save(force_insert=True)
    profile("one", ProfileState.STANDBY)
    return raw("UPDATE memorykit_profile SET state = 'serving' WHERE name = 'one'")


@misdeed("memorykit_profile_change", "memorykit_profile_incomplete")
def switch_to_a_profile_of_stale_vectors() -> Act:
    record = active()
    embedding_of(record, content_hash=record.content_hash).save(force_insert=True)
    profile("one", ProfileState.STANDBY)
    embedding_of(record, profile_id="one").save(force_insert=True)
    return raw("UPDATE memorykit_profile SET state = 'serving' WHERE name = 'one'")


@misdeed("memorykit_profile_settled")
def let_no_profile_serve() -> Act:
    profile("one", ProfileState.SERVING)
    return raw("UPDATE memorykit_profile SET state = 'standby'")


@misdeed("memorykit_profile_delete")
def delete_a_profile_that_stands() -> Act:
    profile("one", ProfileState.STANDBY)
    return raw("DELETE FROM memorykit_profile")


@misdeed("memorykit_embedding_profile_insert", "memorykit_profile_open")
def add_to_a_profile_that_is_being_dropped() -> Act:
    record = active()
    profile("one", ProfileState.DROPPING)
    return insert(embedding_of(record, profile_id="one"))


@misdeed("memorykit_embedding_profile_update", "memorykit_profile_open")
def move_a_vector_to_a_profile_that_is_being_dropped() -> Act:
    row = embedding_of(active())
    row.save(force_insert=True)
    profile("one", ProfileState.DROPPING)
    mine = Embedding.objects.in_scope(SCOPE).filter(pk=row.pk)
    return lambda: mine.update(profile_id="one")
