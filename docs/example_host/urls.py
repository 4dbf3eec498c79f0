"""Routes: the agent's, and memorykit's own beside them."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from example_host import views

urlpatterns = [
    path("workflows", views.workflows),
    path("v1/", include("memorykit_app.urls")),
    path("admin/", admin.site.urls),
]
