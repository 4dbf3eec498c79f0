"""Routes for agent hosts; a project includes them, as a rule under `v1/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memorykit_app.api import service

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include((service.patterns(), "memorykit"), namespace=service.api.urls_namespace)),
]
