"""Content: the mandatory look at every text before it is stored."""

from __future__ import annotations

from collections.abc import Iterable

from memorykit_app import backends
from memorykit_app.backends.base import Severity
from memorykit_app.domain import identity
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.domain.errors import ContentRefused, FingerprintBlocked
from memorykit_app.domain.scope import Scope
from memorykit_app.models import Fingerprint, ScopeRecord
from memorykit_app.services import rows, scopes

FINGERPRINT = "fingerprint"


def flags_for(
    *,
    key: str,
    content: str,
    note: str = "",
    sources: Iterable[SourceRef] = (),
    source_agent_id: str = "",
) -> tuple[str, ...]:
    """Return the rules a reviewer should know of. Raises ContentRefused on the worst.

    Quotes are evidence, shown and never recalled: what they meet flags, and refuses nothing
    but a credential.
    """
    flags: set[str] = set()
    validator = backends.content_validator()
    records = [{"key": key, "content": content, "note": note, "source_agent_id": source_agent_id}]
    # One call each, since sources share the names of their fields.
    records += (
        {
            "sources.kind": source.kind,
            "sources.ref": source.ref,
            "sources.evidence_hash": source.evidence_hash,
            "sources.quote": source.quote,
        }
        for source in sources
    )
    for texts in records:
        for finding in validator.findings({name: value for name, value in texts.items() if value}):
            if finding.severity is Severity.REFUSE:
                raise ContentRefused(finding.field, finding.rule)
            flags.add(finding.rule)
    return tuple(sorted(flags))


def refuse_erased(record: ScopeRecord, scope: Scope, content: str) -> None:
    """Raise FingerprintBlocked when this text was erased in this scope and not lifted."""
    digest = scopes.digest(record, FINGERPRINT, identity.normalised(content))
    if rows.select(
        Fingerprint, "scope_id = %s AND digest = %s AND lifted_at IS NULL", [scope.id, digest]
    ):
        raise FingerprintBlocked
