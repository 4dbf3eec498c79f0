"""Forms: what people send to the review desk, checked before a service sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memorykit_app import conf
from memorykit_app.domain import validation
from memorykit_app.domain.errors import InvalidMemory, InvalidScope
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import Kind
from memorykit_app.models import Memory, ReviewerGrant
from memorykit_app.models.grant import EVERY

SEARCH_CHARS = 200
BULK = 25
#: Recorded when somebody refuses a record and names no better reason.
UNNAMED = "other"


class FilterForm(forms.Form):
    """What a list is narrowed to. The search text travels by POST only."""

    view = forms.CharField(required=False, max_length=16)
    scope = forms.UUIDField(required=False)
    kind = forms.ChoiceField(
        required=False, choices=[("", ""), *((kind.value, kind.value) for kind in Kind)]
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=10_000)
    q = forms.CharField(required=False, max_length=SEARCH_CHARS)


class DecisionForm(forms.Form):
    """One verb on the version that was shown.

    `replaces` names the active record that was shown beside it, as `<id>:<version>`.
    """

    version = forms.IntegerField(min_value=1)
    replaces = forms.CharField(required=False, max_length=64)
    reason = forms.CharField(required=False, max_length=64)
    note = forms.CharField(
        required=False,
        max_length=validation.NOTE_CHARS,
        label=gettext_lazy("Note"),
        help_text=gettext_lazy("Kept in the history. Do not repeat what the record says."),
    )
    next = forms.UUIDField(required=False)

    def clean_reason(self) -> str:
        reason = str(self.cleaned_data["reason"])
        if reason and reason not in conf.settings().reason_presets:
            raise ValidationError(gettext_lazy("Choose one of the reasons."))
        return reason


class CorrectionForm(DecisionForm):
    """New words for a record; the key only while it is a candidate."""

    content = forms.CharField(
        label=gettext_lazy("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "true"}),
    )
    key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        strip=False,
        help_text=gettext_lazy("Give it another key to keep both records."),
    )
    importance = forms.IntegerField(label=gettext_lazy("Importance"), min_value=0, max_value=100)
    confidence = forms.FloatField(
        label=gettext_lazy("Confidence"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    valid_from = forms.DateTimeField(label=gettext_lazy("Valid from"))
    valid_until = forms.DateTimeField(label=gettext_lazy("Valid until"), required=False)

    def __init__(self, *args: Any, record: Memory, candidate: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._record = record
        limits = conf.settings().limits
        self.fields["content"].widget.attrs["maxlength"] = limits.content_chars
        if not candidate:
            del self.fields["key"]
        self.fields["valid_from"].help_text = _("Time zone: %(zone)s") % {
            "zone": get_current_timezone_name()
        }
        for name in ("valid_from", "valid_until"):
            self.fields[name].widget = forms.DateTimeInput(
                format="%Y-%m-%dT%H:%M:%S", attrs={"type": "datetime-local", "step": "1"}
            )

    def clean_content(self) -> str:
        # A form sends line ends as CR LF whatever the text had.
        value = str(self.cleaned_data["content"]).replace("\r\n", "\n")
        return self._checked(validation.content, value)

    def clean_key(self) -> str:
        return self._checked(validation.key, str(self.cleaned_data["key"]))

    def clean_valid_from(self) -> datetime:
        given: datetime = self.cleaned_data["valid_from"]
        return _untouched(given, self._record.valid_from)

    def clean_valid_until(self) -> datetime | None:
        given: datetime | None = self.cleaned_data["valid_until"]
        if given is None or self._record.valid_until is None:
            return given
        return _untouched(given, self._record.valid_until)

    def clean(self) -> dict[str, Any]:
        super().clean()
        found = self.cleaned_data
        if found.get("valid_from") and found.get("valid_until"):
            try:
                validation.validity(found["valid_from"], found["valid_until"])
            except InvalidMemory:
                self.add_error("valid_until", gettext_lazy("It must end after it begins."))
        return found

    @staticmethod
    def _checked(rule: Any, value: str) -> str:
        try:
            return str(rule(value, conf.settings().limits))
        except InvalidMemory as error:
            raise ValidationError(error.rule) from error


class ErasureForm(DecisionForm):
    """The strong confirmation: the short id typed, the warning ticked."""

    typed = forms.CharField(
        label=gettext_lazy("Type the short id"),
        max_length=36,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    final = forms.BooleanField(label=gettext_lazy("I know that this cannot be undone."))

    def __init__(self, *args: Any, memory_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._accepted = (short_id(memory_id), str(memory_id))

    def clean_typed(self) -> str:
        typed = str(self.cleaned_data["typed"]).strip().lower()
        if typed not in self._accepted:
            raise ValidationError(gettext_lazy("This is not the short id of the record."))
        return typed


class GrantForm(forms.ModelForm):  # type: ignore[type-arg]
    """Opens a project, or with `*` every project of a tenant, to a person."""

    class Meta:
        model = ReviewerGrant
        fields = ("user", "tenant_id", "subject_id")
        labels = {"tenant_id": gettext_lazy("Tenant"), "subject_id": gettext_lazy("Project")}
        help_texts = {"subject_id": gettext_lazy("* opens every project of the tenant.")}

    def clean(self) -> dict[str, Any] | None:
        found = super().clean() or {}
        tenant, project = found.get("tenant_id"), found.get("subject_id")
        if tenant and project:
            try:
                Scope.project(tenant, "any" if project == EVERY else project)
            except InvalidScope as error:
                raise ValidationError(str(error)) from error
        return found


def _untouched(given: datetime, kept: datetime) -> datetime:
    """Return the stored moment when the form only cut its fraction of a second."""
    return kept if given == kept.replace(microsecond=0) else given
