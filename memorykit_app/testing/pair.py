"""Two scopes of one tenant, and a caller who was given the first of them only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.db import transaction

from memorykit_app import backends
from memorykit_app.domain.actors import Capability, Principal
from memorykit_app.domain.drafts import Draft, SourceRef
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Kind, Provenance, State
from memorykit_app.models import ScopedManager, sealed
from memorykit_app.services import creation, erasure, host_keys, transcripts
from memorykit_app.services.lifecycle import Command

#: In every text of the other scope, and in nothing that a caller brings along.
MARKER = "Quetzalcoatlus"
ERASED = "The old crane was sold to the port of Vigo."
TOPIC = "harbour crane inspection"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """What a caller asks about: ids and names of things, there or not."""

    project: str
    memory_id: UUID
    candidate_id: UUID
    erased_id: UUID
    job_id: UUID
    transcript_id: UUID
    receipt_id: UUID
    key: str
    source_ref: str
    erased_content: str

    def texts(self) -> list[str]:
        """Return them as texts, also as they are written in a URL."""
        found = [str(getattr(self, name)) for name in self.__dataclass_fields__]
        return [*found, *(UUID(text).hex for text in found if len(text) == 36)]


def nowhere(project: str = "no-such-project") -> Ids:
    """Return ids of nothing."""
    made = {
        name: uuid4()
        for name in Ids.__dataclass_fields__
        if name.endswith("_id") and name != "project"
    }
    return Ids(
        project=project,
        key="no.such.key",
        source_ref="note:no-such-source",
        erased_content=ERASED,
        **made,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`mine` is the caller's scope, `theirs` the other; both are projects of one tenant.

    `by` may do everything in any scope, as an operator of the process may: what stands between
    the scopes is then the scope alone. `person` and `secret` (a host key) were given `mine`.
    """

    mine: Scope
    theirs: Scope
    by: Principal
    person: Any
    secret: str
    now: datetime
    own: Ids

    def asked(self, version: int = 1) -> Command:
        return Command(
            scope=self.mine, by=self.by, now=self.now, expected_version=version, reason="test"
        )


def make(tenant: str = "two-scopes") -> Pair:
    """Make the caller's scope with records in it; the other one is still empty."""
    now = backends.clock().now()
    mine, theirs = Scope.project(tenant, "mine-project"), Scope.project(tenant, "their-project")
    person = get_user_model()._default_manager.create_user(f"{tenant}-person", is_staff=True)
    person.user_permissions.set(Permission.objects.filter(content_type__app_label="memorykit"))
    person.user_permissions.remove(*person.user_permissions.filter(codename__endswith="_job"))
    person.user_permissions.remove(*person.user_permissions.filter(codename__contains="hostkey"))
    person.user_permissions.remove(*person.user_permissions.filter(codename__contains="grant"))
    person.memorykit_grants.create(tenant_id=tenant, subject_id=mine.subject_id)
    _, secret = host_keys.create(
        name="two scopes",
        tenant_id=tenant,
        projects=[mine.subject_id],
        capabilities=tuple(Capability),
        user_id=person.pk,
        now=now,
    )
    by = Principal.operator("two-scopes")
    own = fill(mine, by=by, now=now, word="own")
    return Pair(mine=mine, theirs=theirs, by=by, person=person, secret=secret, now=now, own=own)


def fill(scope: Scope, *, by: Principal, now: datetime, word: str = MARKER) -> Ids:
    """Put a record of every state, a transcript with its job and a receipt into a scope."""

    def create(content: str, key: str, state: State) -> Any:
        quote = SourceRef(kind="note", ref=f"note:{word}-source", quote=f"{TOPIC} {word}")
        draft = Draft(kind=Kind.FACT, key=key, content=content, sources=(quote,))
        return creation.create(
            draft,
            scope=scope,
            by=by,
            provenance=Provenance.OPERATOR_CURATED,
            now=now,
            state=state,
            reason="test",
        )

    key, erased_content = f"crane.{word.lower()}", ERASED if word == MARKER else f"{ERASED} {word}"
    active = create(f"The {TOPIC} is done by {word}.", key, State.ACTIVE)
    candidate = create(f"The {TOPIC} moves to {word}.", key, State.CANDIDATE)
    gone = create(erased_content, f"{key}.sold", State.ACTIVE)
    asked = Command(scope=scope, by=by, now=now, expected_version=1, reason="test")
    receipt = erasure.erase(gone.pk, asked)
    chat = f'[{{"role": "user", "content": "Remember: the crane is with {word}."}}]'
    taken = transcripts.submit(chat.encode(), scope=scope, by=by, now=now, run_id=word)
    job = apps.get_model("memorykit", "Job")._default_manager.get(pk=taken.job_id)
    return Ids(
        project=scope.subject_id,
        memory_id=active.pk,
        candidate_id=candidate.pk,
        erased_id=gone.pk,
        job_id=taken.job_id,
        transcript_id=job.target_id,
        receipt_id=receipt.pk,
        key=key,
        source_ref=f"note:{word}-source",
        erased_content=erased_content,
    )


@contextmanager
def undone() -> Iterator[None]:
    """Let what happens inside be as if it never had."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def content_of(scope: Scope) -> dict[str, list[str]]:
    """Return every row of every sealed table of a scope, for a comparison."""
    found = {}
    with sealed(scope):
        for model in apps.get_app_config("memorykit").get_models():
            manager = model._default_manager
            if isinstance(manager, ScopedManager):
                found[model.__name__] = sorted(map(str, manager.in_scope(scope).values()))
    return found


def elsewhere(ids: Ids, project: str) -> Ids:
    """Return the ids under the name of another project."""
    return replace(ids, project=project)
