"""Profiles: an embedding model under one name; the name never changes its dimension."""

from __future__ import annotations

from contextlib import suppress

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models.functions import Now

from memorykit_app import backends, conf
from memorykit_app.domain.errors import Conflict, MemoryNotFound
from memorykit_app.models import Profile, ProfileState
from memorykit_app.services import rows
from memorykit_app.services.faults import guarded

_WRITTEN = [s.value for s in ProfileState if s is not ProfileState.DROPPING]


def ensure(name: str, *, building: bool = False) -> Profile:
    """Return the profile row, made on first use, on standby or building.

    The profile of MEMORYKIT[SERVING_PROFILE] serves from its first use, while none does. Raises
    ImproperlyConfigured when the configured embedder has another dimension.
    """
    dimension = backends.embedder(name).dimension
    first = name == conf.settings().serving_profile and Profile.serving() is None
    state = ProfileState.BUILDING if building and not first else ProfileState.STANDBY
    Profile.objects.bulk_create(
        [Profile(name=name, dimension=dimension, state=state.value, created_at=Now())],
        ignore_conflicts=True,
    )
    if first:
        # Refused where another profile has vectors already: then an operator decides.
        with suppress(Conflict):
            switch(name)
    return _checked(Profile.objects.get(pk=name))


def serving() -> str:
    """Return the profile that recall searches: the database's, before its first the setting's."""
    found = Profile.serving()
    return found[0] if found else conf.settings().serving_profile


def written() -> list[str]:
    """Return the profiles under which a new text gets a vector, the serving one first."""
    kept = rows.select(Profile, "state = ANY(%s)", [_WRITTEN])
    states = {profile.name: profile.state for profile in kept}
    if ProfileState.SERVING not in states.values():
        states[conf.settings().serving_profile] = ProfileState.SERVING.value
    return sorted(states, key=lambda name: (states[name] != ProfileState.SERVING, name))


def working(name: str) -> Profile | None:
    """Return the profile that vectors may be stored under, or None when it is gone or going.

    Raises ImproperlyConfigured when this process has no embedder for it, or another model.
    """
    profile = Profile.objects.filter(pk=name).first()
    if profile is None or profile.state == ProfileState.STANDBY:
        if name == conf.settings().serving_profile and Profile.serving() is None:
            return ensure(name)
    if profile is None or profile.state == ProfileState.DROPPING:
        return None
    return _checked(profile)


def found(name: str) -> Profile:
    """Return a profile by its name. Raises MemoryNotFound."""
    profile = Profile.objects.filter(pk=name).first()
    if profile is None:
        raise MemoryNotFound("no profile has this name")
    return profile


@guarded
def switch(name: str) -> bool:
    """Let recall search this profile from the commit on; return False when it did already.

    The one before stays on standby and is written, so that switching back is as quick. Raises
    MemoryNotFound, or Conflict when the profile is not on standby or lacks a vector that another
    profile has.
    """
    # Without the embedder recall would have no vectors to ask with.
    backends.embedder(name)
    with transaction.atomic():
        known = {row.name: row for row in Profile.objects.select_for_update(no_key=True).order_by()}
        if name not in known:
            raise MemoryNotFound("no profile has this name")
        state = known[name].state
        if state == ProfileState.SERVING:
            return False
        if state != ProfileState.STANDBY:
            raise Conflict(f"a profile that is {state} does not serve: build it first")
        Profile.objects.filter(state=ProfileState.SERVING.value).update(
            state=ProfileState.STANDBY.value
        )
        Profile.objects.filter(pk=name).update(state=ProfileState.SERVING.value)
    backends.observer().notify("memory.profile_switched", {"profile": name})
    return True


def stored_dimension(name: str) -> int | None:
    """Return the dimension of a profile's vectors, or None before the first one."""
    return Profile.objects.filter(pk=name).values_list("dimension", flat=True).first()


def _checked(profile: Profile) -> Profile:
    dimension = backends.embedder(profile.name).dimension
    if profile.dimension != dimension:
        raise ImproperlyConfigured(
            f"MEMORYKIT[EMBEDDERS][{profile.name}] gives {dimension} numbers where the profile "
            f"has {profile.dimension}: another model needs another profile name"
        )
    return profile
