"""The gate: who may do what, and which scopes a person was granted."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q

from memorykit_app.backends import timed_authorizer
from memorykit_app.backends.base import Authorizer, Target
from memorykit_app.domain.actors import ActorClass, Capability, Principal, actor_class
from memorykit_app.domain.errors import AccessDenied
from memorykit_app.domain.scope import Scope
from memorykit_app.models.grant import EVERY, ReviewerGrant
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import Granted

logger = logging.getLogger("memorykit")

READ, REVIEW, PROPOSE = "read", "review", "propose"
_PERSON_PERMISSION = {READ: "view", REVIEW: "view", PROPOSE: "create"}
_NEEDS = {
    READ: Capability.READ,
    REVIEW: Capability.REVIEW,
    PROPOSE: Capability.PROPOSE,
    "create": Capability.WRITE_EXPLICIT,
    "correct": Capability.WRITE_EXPLICIT,
    "forget": Capability.WRITE_EXPLICIT,
    "activate": Capability.REVIEW,
    "dismiss": Capability.REVIEW,
    "restore": Capability.REVIEW,
    "revert": Capability.REVIEW,
    "erase": Capability.ERASE,
}
_PERSONAL = frozenset({Capability.REVIEW, Capability.ERASE})


def authorize(principal: Principal, verb: str, scope: Scope, target: Target | None = None) -> None:
    """Pass, or raise AccessDenied. A missing, broken or late authorizer refuses."""
    try:
        allowed = timed_authorizer.serving().allows(principal, verb, scope, target or Target())
    except Exception as error:
        logger.error("authorizer_failed", extra={"error": type(error).__name__})
        raise AccessDenied(verb) from error
    if allowed is not True:
        raise AccessDenied(verb)


def may(user: AbstractBaseUser | AnonymousUser, verb: str) -> bool:
    """Tell whether the user holds the permission of a verb; grants are asked apart."""
    name = _PERSON_PERMISSION.get(verb, verb)
    has_perm: Any = getattr(user, "has_perm", None)
    return bool(user.is_active and has_perm and has_perm(f"memorykit.{name}_memory"))


def granted_to(user: AbstractBaseUser | AnonymousUser) -> Granted:
    """Return the scopes a person was granted; without a grant none, superusers included."""
    return Granted(record.id for record in granted_records(user))


def granted_records(user: AbstractBaseUser | AnonymousUser) -> list[ScopeRecord]:
    """Return the granted scope rows, by tenant and subject."""
    if not user.is_active or user.pk is None:
        return []
    wanted = Q(pk__in=[])
    for tenant, subject in ReviewerGrant.objects.filter(user_id=user.pk).values_list(
        "tenant_id", "subject_id"
    ):
        wanted |= (
            Q(tenant_id=tenant)
            if subject == EVERY
            else Q(tenant_id=tenant, subject_id=subject, subject_type="project")
        )
    return list(
        ScopeRecord.objects.filter(wanted).order_by("tenant_id", "subject_type", "subject_id")
    )


class GrantAuthorizer(Authorizer):
    """Permissions and grants for people, capabilities for host keys, and no second hats.

    Nobody activates what they proposed themselves. Operators and the system act with the
    rights of the process; a model may only propose, and write what a host granted it to write.
    """

    asks_this_database = True

    def allows(self, principal: Principal, verb: str, scope: Scope, target: Target) -> bool:
        if verb == "activate" and principal.actor in (target.created_by, target.source_agent):
            return False
        match actor_class(principal.actor):
            case ActorClass.OPERATOR | ActorClass.SYSTEM:
                return True
            case ActorClass.MODEL:
                granted = _NEEDS.get(verb) is Capability.WRITE_EXPLICIT
                return verb == PROPOSE or (
                    granted and Capability.WRITE_EXPLICIT in principal.capabilities
                )
            case ActorClass.PERSON:
                return self._person(principal.user_id, verb, scope)
            case ActorClass.HOST:
                needed = _NEEDS.get(verb)
                if needed is None or needed not in principal.capabilities:
                    return False
                return needed not in _PERSONAL or self._person(principal.user_id, verb, scope)

    @staticmethod
    def _person(user_id: int | None, verb: str, scope: Scope) -> bool:
        if user_id is None:
            return False
        user = get_user_model()._default_manager.filter(pk=user_id, is_active=True).first()
        if user is None or not may(user, verb):
            return False
        return ReviewerGrant.objects.filter(
            Q(subject_id=EVERY) | Q(subject_id=scope.subject_id),
            user_id=user_id,
            tenant_id=scope.tenant_id,
        ).exists()
