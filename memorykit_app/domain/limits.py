"""Limits: how large the parts of a memory may be."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on one record and one request; characters unless a name says bytes.

    Raises ValueError when the version is blank or a bound is not a positive whole number.
    """

    version: str = "limits-v1"
    key_chars: int = 256
    key_bytes: int = 1_024
    content_chars: int = 8_000
    content_bytes: int = 32 * 1_024
    metadata_chars: int = 512
    sources: int = 20
    quote_chars: int = 2_000
    list_items: int = 100
    body_bytes: int = 256 * 1_024
    transcript_bytes: int = 5 * 1_024 * 1_024
    transcript_messages: int = 5_000
    drafts: int = 100

    def __post_init__(self) -> None:
        if not self.version.strip():
            raise ValueError("version must not be blank")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "version" and (type(value) is not int or value < 1):
                raise ValueError(f"{field.name} must be a positive whole number")
        if self.metadata_chars < 36:
            raise ValueError("metadata_chars must be at least 36, so that an id fits")
