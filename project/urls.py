"""Routes: the desk for people, `v1/` for agent hosts, and two probes."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from project import health

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    *([path("v1/", include("memorykit_app.urls"))] if find_spec("memorykit_app.urls") else []),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
