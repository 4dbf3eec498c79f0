"""Tables, constraints and the gate in front of them."""

from memorykit_app.models.embedding import Embedding, Profile, ProfileState
from memorykit_app.models.erasure import ErasureReceipt, Fingerprint
from memorykit_app.models.feedback import Feedback, Verdict
from memorykit_app.models.grant import ReviewerGrant
from memorykit_app.models.host_key import HostKey
from memorykit_app.models.job import FailureCode, Job, JobKind, JobState
from memorykit_app.models.memory import Idempotency, Memory, Revision, Source, Term
from memorykit_app.models.recall_receipt import Entry, RecallReceipt
from memorykit_app.models.scope_record import ScopeRecord
from memorykit_app.models.scoping import Granted, ScopedManager, sealed
from memorykit_app.models.seal import Seal
from memorykit_app.models.transcript import Transcript

__all__ = [
    "Embedding",
    "Entry",
    "ErasureReceipt",
    "FailureCode",
    "Feedback",
    "Fingerprint",
    "Granted",
    "HostKey",
    "Idempotency",
    "Job",
    "JobKind",
    "JobState",
    "Memory",
    "Profile",
    "ProfileState",
    "RecallReceipt",
    "ReviewerGrant",
    "Revision",
    "ScopeRecord",
    "ScopedManager",
    "Seal",
    "Source",
    "Term",
    "Transcript",
    "Verdict",
    "sealed",
]
