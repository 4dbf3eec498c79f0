"""The review desk inside the stock admin site, and read-only pages beside it."""

from memorykit_app.admin.grants import ReviewerGrantAdmin
from memorykit_app.admin.jobs import JobAdmin
from memorykit_app.admin.keys import HostKeyAdmin
from memorykit_app.admin.memories import MemoryReviewAdmin
from memorykit_app.admin.receipts import ErasureReceiptAdmin

__all__ = [
    "ErasureReceiptAdmin",
    "HostKeyAdmin",
    "JobAdmin",
    "MemoryReviewAdmin",
    "ReviewerGrantAdmin",
]
