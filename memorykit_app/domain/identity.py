"""Identity: content hashes, keyed digests and derived ids."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
import uuid

_JOBS = uuid.uuid5(uuid.NAMESPACE_URL, "memorykit.extraction.v1")
_RUNS = uuid.uuid5(uuid.NAMESPACE_URL, "memorykit.agent-run.v1")


def content_hash(content: str) -> str:
    """Return the lower-case hex SHA-256 of the content."""
    return hashlib.sha256(content.encode()).hexdigest()


def scope_key(secret: str, salt: bytes) -> bytes:
    """Return the key of one scope: HMAC-SHA-256 of its salt under the environment's secret.

    No dump holds it: the salt is in the database, the secret is not.
    """
    return hmac.new(secret.encode(), salt, hashlib.sha256).digest()


def keyed_digest(key: bytes, purpose: str, text: str) -> str:
    """Return the hex HMAC-SHA-256 of a text; `purpose` keeps uses apart."""
    return hmac.new(key, f"{purpose}\0{text}".encode(), hashlib.sha256).hexdigest()


def normalised(text: str) -> str:
    """Return the text in NFC with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def extraction_job_id(scope_id: uuid.UUID, run: str) -> uuid.UUID:
    """Return the id of the extraction of one run: the same run is the same job."""
    return uuid.uuid5(_JOBS, f"{scope_id}\0{run}")


def candidate_id(job_id: uuid.UUID, index: int) -> uuid.UUID:
    """Return the id of the candidate made from a job's draft number `index`, from 0."""
    return uuid.uuid5(job_id, f"candidate:{index}")


def write_id(scope_id: uuid.UUID, run_id: str, digest: str) -> uuid.UUID:
    """Return the id of what a run of an agent writes: the same words are the same record.

    `digest` is that of the words. Runs of other scopes give other ids, so none can be probed.
    """
    return uuid.uuid5(_RUNS, f"{scope_id}\0{run_id}\0{digest}")


def slot(scope_id: uuid.UUID, *parts: str) -> int:
    """Return a signed 64-bit number for an advisory lock on these parts."""
    digest = hashlib.sha256("\0".join((str(scope_id), *parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
