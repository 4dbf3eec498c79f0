"""Scope: whose memory. A typed value, passed as an argument, never ambient."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum

from memorykit_app.domain.errors import InvalidScope

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "memorykit.scope.v1")
MAX_NAME = 200


class SubjectType(StrEnum):
    PROJECT = "project"
    USER = "user"


def _name(label: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip() or value != value.strip():
        raise InvalidScope(f"{label}: must be non-blank text without surrounding space")
    if len(value) > MAX_NAME:
        raise InvalidScope(f"{label}: at most {MAX_NAME} characters")
    if any(ord(c) < 0x20 or ord(c) == 0x7F or 0xD800 <= ord(c) <= 0xDFFF for c in value):
        raise InvalidScope(f"{label}: control characters are not allowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose memories these are. There is no scope for everyone.

    Raises InvalidScope when a part is blank or the subject type is unknown.
    """

    tenant_id: str
    subject_type: SubjectType
    subject_id: str

    def __post_init__(self) -> None:
        _name("tenant", self.tenant_id)
        _name("project", self.subject_id)
        if not isinstance(self.subject_type, SubjectType):
            raise InvalidScope("subject type: must be project or user")

    @classmethod
    def project(cls, tenant_id: str, project_id: str) -> Scope:
        return cls(tenant_id=tenant_id, subject_type=SubjectType.PROJECT, subject_id=project_id)

    @property
    def id(self) -> uuid.UUID:
        """The scope's key: UUIDv5 over its three parts, so it needs no look-up."""
        parts = (self.tenant_id, self.subject_type.value, self.subject_id)
        return uuid.uuid5(_NAMESPACE, "\0".join(parts))
