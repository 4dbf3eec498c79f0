"""People at the review desk, and what they send."""

from __future__ import annotations

from io import StringIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test import override_settings
from django.urls import reverse
from uuid6 import uuid7

from memorykit_app.backends.base import ContentValidator, Finding, Severity
from memorykit_app.domain.drafts import SourceRef
from memorykit_app.models import ReviewerGrant, Transcript, sealed
from memorykit_app.services import scopes
from tests.records import NOW, SCOPE

PASSWORD = "correct horse battery"
CHAT = (
    ("user", "Where is the office now?"),
    ("assistant", "It was in Porto."),
    ("user", "Not any more: we moved to Lisbon last spring, near the river."),
    ("assistant", "Noted."),
)
QUOTE = "we moved to Lisbon last spring"


class Lenient(ContentValidator):
    """Lets hostile text in, as older rules may have; refuses one word only."""

    for_tests = True
    refused = "AKIA"

    def findings(self, fields):
        return [
            Finding(name, "secret", Severity.REFUSE)
            for name, text in fields.items()
            if self.refused in text
        ]


def desk_settings():
    """Settings under which the desk's time is that of the records, and hostile text gets in."""
    parts = {
        "CLOCK": {"BACKEND": "tests.doubles.RecordsClock"},
        "CONTENT_VALIDATOR": {"BACKEND": "tests.desk.Lenient"},
        "OBSERVER": {"BACKEND": "memorykit_app.backends.doubles.RecordingObserver"},
    }
    return override_settings(MEMORYKIT=settings.MEMORYKIT | parts)


def person(name="kim", roles=("reviewer",), projects=("red",), **more):
    """A member of staff with these roles, granted these projects of the tenant `acme`."""
    call_command("memorykit_setup_roles", stdout=StringIO())
    user = get_user_model().objects.create_user(name, password=PASSWORD, is_staff=True, **more)
    user.groups.set(Group.objects.filter(name__in=[f"memorykit {role}" for role in roles]))
    for project in projects:
        ReviewerGrant.objects.create(user=user, tenant_id="acme", subject_id=project)
    return user


def transcript(chat=CHAT, scope=SCOPE):
    """A stored conversation; returns its id."""
    row_id = uuid7()
    with sealed(scope):
        scopes.ensure(scope, now=NOW)
        Transcript.objects.in_scope(scope).bulk_create(
            [
                Transcript(
                    id=row_id,
                    scope_id=scope.id,
                    messages=[
                        {"index": i, "role": role, "text": text, "name": "", "created_at": None}
                        for i, (role, text) in enumerate(chat)
                    ],
                    message_count=len(chat),
                    created_at=NOW,
                )
            ]
        )
    return row_id


def quoted(transcript_id, quote=QUOTE, index=2, chat=CHAT):
    """A source that points into a stored conversation."""
    start = chat[index][1].find(quote)
    return SourceRef(
        kind="transcript",
        ref=f"transcript:{transcript_id}",
        quote=quote,
        message_index=index,
        quote_start=start if start >= 0 else None,
        quote_end=start + len(quote) if start >= 0 else None,
    )


def url(name, *args):
    return reverse(f"admin:memorykit_{name}", args=args)


def decide(client, record, verb, *, version=None, **fields):
    return client.post(
        url("decide", record.pk, verb),
        {"version": record.version if version is None else version, **fields},
    )


def text_of(response):
    return response.content.decode()
