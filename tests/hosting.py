"""An agent host for tests: keys of every kind and calls over HTTP."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from memorykit_app import backends
from memorykit_app.domain.actors import Capability
from memorykit_app.models import ReviewerGrant
from memorykit_app.services import host_keys
from tests.records import SCOPE

ALL = tuple(Capability)


def person(name: str = "ada", *, tenant: str = SCOPE.tenant_id, subject: str = SCOPE.subject_id):
    user, _ = get_user_model().objects.get_or_create(username=name, is_staff=True)
    user.user_permissions.set(
        Permission.objects.filter(content_type__app_label="memorykit", codename__endswith="_memory")
    )
    ReviewerGrant.objects.get_or_create(user=user, tenant_id=tenant, subject_id=subject)
    return user


def mint(*capabilities: Capability, tenant: str = SCOPE.tenant_id, projects=(SCOPE.subject_id,)):
    """Return (key, secret) of a key with these capabilities; all of them when none is named."""
    return host_keys.create(
        name="host",
        tenant_id=tenant,
        projects=list(projects),
        capabilities=capabilities or ALL,
        user_id=person(tenant=tenant, subject=projects[0]).pk,
        now=backends.clock().now(),
    )


class Host:
    """Calls `/v1/projects/{project}/...` with one key."""

    def __init__(self, secret: str, project: str = SCOPE.subject_id) -> None:
        self._client = Client(raise_request_exception=False)
        self._secret = secret
        self._project = project

    def call(self, method: str, path: str, body: Any = None, **headers: str):
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body)
        headers = {"Authorization": f"Bearer {self._secret}", **headers}
        return self._client.generic(
            method,
            f"/v1/projects/{self._project}/{path}",
            content,
            content_type=headers.pop("content_type", "application/json"),
            headers=headers,
        )

    def get(self, path: str, **headers: str):
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str):
        return self.call("POST", path, body, **headers)


def host(*capabilities: Capability, **changes) -> Host:
    project = changes.get("projects", (SCOPE.subject_id,))[0]
    return Host(mint(*capabilities, **changes)[1], project)
