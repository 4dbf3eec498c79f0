"""Profiles: an embedding model under one name; the name never changes its dimension."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db.models.functions import Now

from memorykit_app import backends
from memorykit_app.models import Profile


def ensure(name: str) -> Profile:
    """Return the profile row, made on first use.

    Raises ImproperlyConfigured when the configured embedder has another dimension.
    """
    dimension = backends.embedder(name).dimension
    Profile.objects.bulk_create(
        [Profile(name=name, dimension=dimension, created_at=Now())], ignore_conflicts=True
    )
    profile = Profile.objects.get(pk=name)
    if profile.dimension != dimension:
        raise ImproperlyConfigured(
            f"MEMORYKIT[EMBEDDERS][{name}] gives {dimension} numbers where the profile has "
            f"{profile.dimension}: another model needs another profile name"
        )
    return profile


def stored_dimension(name: str) -> int | None:
    """Return the dimension of a profile's vectors, or None before the first one."""
    return Profile.objects.filter(pk=name).values_list("dimension", flat=True).first()
