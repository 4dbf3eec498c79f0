"""Host keys: minted, shown once, checked in constant time, rotated and revoked."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q
from uuid6 import uuid7

from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.errors import Conflict, InvalidMemory, MemoryNotFound
from memorykit_app.domain.scope import Scope
from memorykit_app.models import HostKey
from memorykit_app.services import rows

MARK = "mk"
_NO_HASH = "0" * 64
_TOKEN = re.compile(rf"{MARK}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")


def create(
    *,
    name: str,
    tenant_id: str,
    projects: Sequence[str],
    capabilities: Sequence[Capability],
    now: datetime,
    user_id: int | None = None,
    expires_at: datetime | None = None,
) -> tuple[HostKey, str]:
    """Mint a key; return its row and the secret, which is nowhere kept.

    Raises InvalidMemory or InvalidScope when a part is missing, or when a key that may review
    or erase names no active user.
    """
    check(
        name=name,
        tenant_id=tenant_id,
        projects=projects,
        capabilities=capabilities,
        now=now,
        user_id=user_id,
        expires_at=expires_at,
    )
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    key = HostKey(
        id=uuid7(),
        prefix=prefix,
        secret_hash=_hash(secret),
        name=name,
        tenant_id=tenant_id,
        projects=sorted(set(projects)),
        capabilities=sorted({capability.value for capability in capabilities}),
        user_id=user_id,
        created_at=now,
        expires_at=expires_at,
    )
    key.save(force_insert=True)
    return key, f"{MARK}_{prefix}_{secret}"


def check(
    *,
    name: str,
    tenant_id: str,
    projects: Sequence[str],
    capabilities: Sequence[Capability],
    now: datetime,
    user_id: int | None = None,
    expires_at: datetime | None = None,
) -> None:
    """Raise what `create` would raise, and mint nothing."""
    if not name.strip() or len(name) > 200:
        raise InvalidMemory("name", "must be 1 to 200 characters")
    if not projects:
        raise InvalidMemory("projects", "must name at least one project")
    for project in projects:
        Scope.project(tenant_id, project)
        if "/" in project:
            raise InvalidMemory("projects", "must not hold a slash: no route could name it")
    if not capabilities:
        raise InvalidMemory("capabilities", f"must be some of {', '.join(Capability)}")
    personal = {Capability.REVIEW, Capability.ERASE} & set(capabilities)
    if (personal or user_id is not None) and not _active(user_id):
        raise InvalidMemory("user", "a key that may review or erase belongs to an active user")
    if expires_at is not None and expires_at <= now:
        raise InvalidMemory("expires_at", "must be later than now")


def authenticate(token: str, *, now: datetime) -> HostKey | None:
    """Return the key behind a token, or None when it is unknown, expired or revoked.

    Unknown prefixes and wrong secrets take the same steps.
    """
    shape = _TOKEN.fullmatch(token)
    if shape is None:
        return None
    prefix, secret = shape.groups()
    # Each call of a host begins here: a built query would cost half of it.
    key = next(iter(rows.select(HostKey, "prefix = %s", [prefix])), None)
    stored = key.secret_hash if key else _NO_HASH
    genuine = hmac.compare_digest(stored, _hash(secret))
    if key is None or not genuine or key.revoked_at is not None:
        return None
    if key.expires_at is not None and key.expires_at <= now:
        return None
    if key.last_used_on != now.date():
        HostKey.objects.filter(pk=key.pk).update(last_used_on=now.date())
    return key


def principal_of(key: HostKey) -> Principal:
    """Return who a key acts as."""
    return Principal(
        actor=f"host:{key.prefix}",
        user_id=key.user_id,
        capabilities=frozenset(Capability(name) for name in key.capabilities),
    )


def rotate(reference: str, *, now: datetime, overlap_until: datetime) -> tuple[HostKey, str]:
    """Mint a successor with the same rights; the old key works until `overlap_until`.

    Raises MemoryNotFound, or Conflict when the key was revoked or expired.
    """
    old = find(reference)
    if old.revoked_at is not None or (old.expires_at and old.expires_at <= now):
        raise Conflict("this host key is revoked or expired: create a new one")
    new, secret = create(
        name=old.name,
        tenant_id=old.tenant_id,
        projects=old.projects,
        capabilities=[Capability(name) for name in old.capabilities],
        user_id=old.user_id,
        now=now,
    )
    ends = min(old.expires_at, overlap_until) if old.expires_at else overlap_until
    HostKey.objects.filter(pk=old.pk).update(expires_at=ends)
    return new, secret


def revoke(reference: str, *, now: datetime) -> HostKey:
    """End a key at once; revoking it again changes nothing. Raises MemoryNotFound."""
    key = find(reference)
    if key.revoked_at is None:
        key.revoked_at = now
        key.save(update_fields=["revoked_at"])
    return key


def find(reference: str) -> HostKey:
    """Return a key by its prefix or its id. Raises MemoryNotFound."""
    try:
        key = HostKey.objects.filter(pk=UUID(reference)).first()
    except ValueError:
        key = HostKey.objects.filter(prefix=reference).first()
    if key is None:
        raise MemoryNotFound("no host key has this prefix or id")
    return key


def listed(*, tenant_id: str = "", usable_at: datetime | None = None) -> list[HostKey]:
    """Return keys, newest first: of one tenant or all, and those usable at a time or all."""
    rows = HostKey.objects.all()
    if tenant_id:
        rows = rows.filter(tenant_id=tenant_id)
    if usable_at is not None:
        rows = rows.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=usable_at))
        rows = rows.filter(revoked_at__isnull=True)
    return list(rows.order_by("-created_at", "-id"))


def _active(user_id: int | None) -> bool:
    users = get_user_model()._default_manager.filter(is_active=True)
    return user_id is not None and users.filter(pk=user_id).exists()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
