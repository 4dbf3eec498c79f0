"""Scope rows: made on first use, read for their salt."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime

from memorykit_app import conf
from memorykit_app.domain import identity
from memorykit_app.domain.errors import ScopeClosed
from memorykit_app.domain.scope import Scope
from memorykit_app.models import ScopeRecord
from memorykit_app.services import rows


def ensure(scope: Scope, *, now: datetime) -> ScopeRecord:
    """Return the row of an open scope, made when new. Raises ScopeClosed."""
    record = next(iter(rows.select(ScopeRecord, "id = %s", [scope.id])), None)
    if record is None:
        ScopeRecord.objects.bulk_create(
            [
                ScopeRecord(
                    id=scope.id,
                    tenant_id=scope.tenant_id,
                    subject_type=scope.subject_type.value,
                    subject_id=scope.subject_id,
                    salt=secrets.token_bytes(32),
                    created_at=now,
                )
            ],
            ignore_conflicts=True,
        )
        record = ScopeRecord.objects.get(pk=scope.id)
    if record.closed_at is not None:
        raise ScopeClosed
    return record


def known(scope: Scope) -> bool:
    """Tell whether anything was ever stored in this scope."""
    return ScopeRecord.objects.filter(pk=scope.id).exists()


def every(*, closed: bool = False, batch: int = 500) -> Iterator[ScopeRecord]:
    """Yield the open scopes, or the closed ones, by id.

    Read in pages: a cursor would stand open over all that is done in between.
    """
    rows = ScopeRecord.objects.filter(closed_at__isnull=not closed).order_by("id")
    page = list(rows[:batch])
    while page:
        yield from page
        page = list(rows.filter(id__gt=page[-1].id)[:batch])


def digest(record: ScopeRecord, purpose: str, text: str) -> str:
    """Return the digest of a text under the key of this scope."""
    secret = conf.settings().fingerprint_key.get_secret_value()
    return identity.keyed_digest(identity.scope_key(secret, bytes(record.salt)), purpose, text)
