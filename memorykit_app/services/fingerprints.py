"""Fingerprints: a person may let erased text come back."""

from __future__ import annotations

from datetime import datetime

from memorykit_app.domain import identity
from memorykit_app.domain.actors import ActorClass, Principal, actor_class
from memorykit_app.domain.errors import AccessDenied, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Verb
from memorykit_app.models import Fingerprint, access, sealed
from memorykit_app.services import content, scopes
from memorykit_app.services.faults import guarded


@guarded
def lift(text: str, *, scope: Scope, by: Principal, now: datetime) -> None:
    """Let this erased text be stored again in this scope.

    Only a person with the erase right may. Raises MemoryNotFound when it is not blocked.
    """
    if actor_class(by.actor) is not ActorClass.PERSON:
        raise AccessDenied(Verb.ERASE.value)
    with sealed(scope):
        access.authorize(by, Verb.ERASE.value, scope)
        record = scopes.ensure(scope, now=now)
        digest = scopes.digest(record, content.FINGERPRINT, identity.normalised(text))
        rows = Fingerprint.objects.in_scope(scope).filter(digest=digest, lifted_at__isnull=True)
        if rows.update(lifted_at=now, lifted_by=by.actor) == 0:
            raise MemoryNotFound("this text is not blocked in this scope")
