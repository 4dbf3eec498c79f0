"""Checks for `manage.py check --deploy`: doubles, open doors, pages that show too much."""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.core.checks import CheckMessage, register
from django.urls import NoReverseMatch, reverse

from memorykit_app.checks.message import TAG, error, setting, warning
from memorykit_app.checks.parts import built
from memorykit_app.domain.actors import Principal
from memorykit_app.domain.errors import AccessDenied
from memorykit_app.domain.scope import Scope
from memorykit_app.domain.states import Verb
from memorykit_app.models import access

_CSP = {
    "csp.middleware.CSPMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
}


@register(TAG, deploy=True)
def no_part_is_a_double(**_: Any) -> list[CheckMessage]:
    return [
        error(
            "E007",
            f"{setting(name)} is made for tests: {type(part).__name__}.",
            "Name a real part; docs/settings.md lists them.",
        )
        for name, part in built()
        if part.for_tests
    ]


@register(TAG, deploy=True)
def the_authorizer_refuses_somebody(**_: Any) -> list[CheckMessage]:
    """Ask for what no host grants: that a model erases in a scope that nobody has."""
    if "AUTHORIZER" not in dict(built()):
        return []
    nobody = Scope.project("memorykit.check", "memorykit.check")
    try:
        access.authorize(Principal(actor="model:memorykit.check"), Verb.ERASE.value, nobody)
    except AccessDenied:
        return []
    return [
        error(
            "E004",
            f"{setting('AUTHORIZER')} allows everything.",
            "A model may not erase: name an authorizer that decides.",
        )
    ]


@register(TAG, deploy=True)
def pages_keep_text_in(**_: Any) -> list[CheckMessage]:
    found = []
    if django_settings.DEBUG:
        found.append(
            warning("W002", "DEBUG shows memory text in error pages.", "Set DEBUG to False.")
        )
    if not _CSP.intersection(django_settings.MIDDLEWARE):
        found.append(
            warning(
                "W003",
                "No middleware sends a Content-Security-Policy.",
                "Add csp.middleware.CSPMiddleware; the desk needs no inline script or style.",
            )
        )
    if _rq_pages():
        found.append(
            warning(
                "W004",
                "The pages of django_rq are reachable: they show jobs of all tenants.",
                "Set RQ_SHOW_ADMIN_LINK to False and leave django_rq.urls out of your routes.",
            )
        )
    return found


def _rq_pages() -> bool:
    if "django_rq" not in django_settings.INSTALLED_APPS:
        return False
    if getattr(django_settings, "RQ_SHOW_ADMIN_LINK", True):
        return True
    try:
        reverse("django_rq:home")
    except NoReverseMatch:
        return False
    return True
