"""The tour: the whole path through public commands and HTTP, as a newcomer walks it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import django_rq
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.management import call_command

from memorykit_app.models import ReviewerGrant
from memorykit_app.models.grant import EVERY
from project.run.demo import GROUPS
from project.run.notice import REVIEWER, TENANT
from tests.workers import WorkerProcess

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def reviewer(transactional_db):
    call_command("memorykit_setup_roles", verbosity=0)
    person = get_user_model().objects.create_user(REVIEWER, is_staff=True)
    person.groups.set(Group.objects.filter(name__in=GROUPS))
    ReviewerGrant.objects.create(user=person, tenant_id=TENANT, subject_id=EVERY)


@pytest.fixture
def worker(transactional_db, process_environment, tmp_path):
    django_rq.get_connection("memorykit").flushdb()
    worker = WorkerProcess(process_environment, tmp_path / "worker.log")
    worker.start()
    yield worker
    worker.kill()


def test_the_whole_path_holds(reviewer, worker, live_server, process_environment):
    environment = {
        **process_environment,
        "MEMORYKIT_URL": live_server.url,
        "PYTHON_BIN": sys.executable,
    }

    done = subprocess.run(
        ["bash", "docs/tour.sh"], cwd=ROOT, env=environment, capture_output=True, timeout=240
    )

    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode() + worker.said()
    assert b"== Done" in done.stdout
