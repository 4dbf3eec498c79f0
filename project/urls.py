"""Routes: the desk for people, `v1/` for agent hosts, and two probes."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView

from project import health

admin.site.site_header = admin.site.site_title = "memorykit"
admin.site.site_url = None
admin.site.index_title = _("Review desk")

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("v1/", include("memorykit_app.urls")),
    path("healthz", health.alive),
    path("readyz", health.ready),
]
