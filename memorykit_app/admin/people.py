"""People: actors as a reader knows them, looked up in one query."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from memorykit_app.domain.actors import ActorClass


class Names:
    """The names of some actors; `names.of(actor)` answers for any actor text."""

    def __init__(self, actors: Iterable[str]) -> None:
        prefix = f"{ActorClass.PERSON}:"
        ids = {
            actor.removeprefix(prefix)
            for actor in actors
            if actor.startswith(prefix) and actor.removeprefix(prefix).isdecimal()
        }
        users = get_user_model()._default_manager.filter(pk__in=ids) if ids else ()
        self._known = {f"{prefix}{user.pk}": user.get_username() for user in users}

    def of(self, actor: str) -> str:
        known = self._known.get(actor)
        if known:
            return known
        head, _colon, tail = actor.partition(":")
        match head:
            case ActorClass.PERSON:
                return _("person %(name)s") % {"name": tail}
            case ActorClass.MODEL:
                return _("model %(name)s") % {"name": tail}
            case ActorClass.HOST:
                return _("host key %(name)s") % {"name": tail}
            case ActorClass.OPERATOR:
                return _("operator %(name)s") % {"name": tail}
        return _("system %(name)s") % {"name": tail}
