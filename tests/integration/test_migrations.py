"""Migrations: up and down, four at once, and never over a newer schema."""

from __future__ import annotations

import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder


def guards() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"
            " AND tgname LIKE 'memorykit%%')"
            " + (SELECT count(*) FROM pg_policies WHERE policyname = 'memorykit_scope')"
        )
        return cursor.fetchone()[0]


@pytest.fixture
def migrated(transactional_db):
    yield
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO CURRENT_USER")


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_guards_go_and_come_back(migrated):
    there = guards()

    call_command("migrate", "memorykit", "0002", verbosity=0)
    assert guards() == 0
    call_command("migrate", verbosity=0)

    assert guards() == there > 20


def test_a_newer_schema_is_refused_and_the_lock_is_free_afterwards(migrated):
    recorder = MigrationRecorder(connection)
    recorder.record_applied("memorykit", "9999_from_the_future")

    try:
        with pytest.raises(CommandError, match="9999_from_the_future"):
            call_command("migrate", verbosity=0)
    finally:
        recorder.record_unapplied("memorykit", "9999_from_the_future")

    call_command("migrate", verbosity=0)


def test_four_processes_migrate_at_once(migrated, process_environment):
    call_command("migrate", "memorykit", "zero", verbosity=0)

    running = [
        subprocess.Popen(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            env=process_environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    errors = [process.communicate(timeout=120)[1] for process in running]

    assert [process.returncode for process in running] == [0, 0, 0, 0], errors
    assert guards() > 20
