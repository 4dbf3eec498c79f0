"""Tags of the desk's templates: how long ago, and what waits for the person on the index page."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from memorykit_app import backends
from memorykit_app.admin import queue
from memorykit_app.admin.queue import Counters
from memorykit_app.models import access, sealed

register = template.Library()
_MOMENT = timedelta(minutes=1)


@register.filter
def ago(at: datetime, now: datetime) -> str:
    """Return how long ago something was, as a phrase."""
    if now - at < _MOMENT:
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(at, now)}


@register.filter
def lasting(since: datetime, now: datetime) -> str:
    """Return how long something has lasted, as a duration."""
    return _("under a minute") if now - since < _MOMENT else timesince(since, now)


@register.simple_tag(takes_context=True)
def waiting_candidates(context: dict[str, Any]) -> Counters | None:
    """Return the counters of the reader's granted projects, or None for who may not view."""
    user = context["request"].user
    if not access.may(user, access.READ):
        return None
    granted = access.granted_to(user)
    with sealed(granted):
        return queue.counters(granted)


@register.simple_tag
def desk_time() -> datetime:
    """Return the current time of the desk's clock."""
    return backends.clock().now()
