"""Refusals: why something was not done, and what to do, without any content."""

from __future__ import annotations

from django.utils.translation import gettext as _

from memorykit_app.admin.words import STATES, VERBS, of
from memorykit_app.domain.errors import (
    AccessDenied,
    Conflict,
    ContentRefused,
    FingerprintBlocked,
    InvalidMemory,
    KeyTaken,
    MemoryHeld,
    MemorykitError,
    MemoryNotFound,
    ScopeClosed,
    StaleVersion,
    TransitionRefused,
    Unavailable,
)
from memorykit_app.models import access

_PERMISSIONS = {access.READ: "view", access.REVIEW: "view", access.PROPOSE: "create"}


def said(error: MemorykitError) -> str:
    """Return a refusal in the reader's language."""
    match error:
        case StaleVersion():
            return _("This record changed after it was shown to you. Look again, then decide.")
        case TransitionRefused():
            return _("%(verb)s is not possible any more: the record is %(state)s now.") % {
                "verb": of(VERBS, error.verb),
                "state": of(STATES, error.state).lower(),
            }
        case MemoryHeld():
            return _("A hold stands on this record. Release it first.")
        case KeyTaken():
            return _("Another active record holds this kind and key. Forget that one first.")
        case FingerprintBlocked():
            return _("This text was erased in this project and may not come back.")
        case ScopeClosed():
            return _("This project was erased as a whole and takes no more changes.")
        case Conflict():
            return _("What was shown to you changed meanwhile. Look again, then decide.")
        case AccessDenied():
            return _(
                "You may not do this here. It needs the permission %(codename)s and a grant for the"
                " project, and nobody activates what they proposed themselves."
            ) % {"codename": f"memorykit.{_PERMISSIONS.get(error.verb, error.verb)}_memory"}
        case MemoryNotFound():
            return _("There is no such record in the projects that you were granted.")
        case ContentRefused():
            return _("The content check refused %(field)s by the rule %(rule)s.") % {
                "field": of({}, error.field),
                "rule": of({}, error.rule),
            }
        case InvalidMemory():
            return f"{of({}, error.field)}: {error.rule}"
        case Unavailable():
            return _("The memory store cannot be reached now. Nothing was changed; try again.")
    return _("This did not work. Nothing was changed.")
