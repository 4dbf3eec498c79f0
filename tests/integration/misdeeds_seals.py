"""Misdeeds against the chain of seals."""

from __future__ import annotations

from uuid import uuid4

from memorykit_app.models import Seal
from memorykit_app.services import seals
from tests.integration.misdeeds import Act, misdeed
from tests.records import SCOPE, active


def sealed_row() -> Seal:
    active()
    seals.extend(SCOPE)
    return Seal.objects.in_scope(SCOPE).order_by("-number")[0]


@misdeed("memorykit_seal_no_change")
def edit_a_seal() -> Act:
    row = sealed_row()
    return lambda: Seal.objects.in_scope(SCOPE).filter(pk=row.pk).update(actor="person:1")


@misdeed("memorykit_seal_no_change")
def delete_a_seal() -> Act:
    row = sealed_row()
    return lambda: Seal.objects.in_scope(SCOPE).filter(pk=row.pk).delete()


@misdeed("memorykit_seal_number")
def give_a_number_twice() -> Act:
    row = sealed_row()
    row.pk = uuid4()
    return lambda: Seal.objects.in_scope(SCOPE).bulk_create([row])
