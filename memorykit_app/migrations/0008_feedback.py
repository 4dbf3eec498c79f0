"""Feedback as codes, and what a model may never do, also past the services."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0007_profiles")]
    operations = [
        migrations.CreateModel(
            name="Feedback",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("actor", models.CharField(max_length=512)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("useful", "useful"),
                            ("not_useful", "not_useful"),
                            ("wrong", "wrong"),
                        ],
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memorykit.memory",
                    ),
                ),
                (
                    "scope",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="memorykit.scoperecord",
                    ),
                ),
            ],
            options={
                "db_table": "memorykit_feedback",
                "default_permissions": (),
                "indexes": [models.Index(fields=["memory"], name="memorykit_feedback_memory")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("scope", "memory", "actor"), name="memorykit_feedback_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["useful", "not_useful", "wrong"])),
                        name="memorykit_feedback_verdict",
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            (_SQL / "0008_feedback.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0008_feedback.down.sql").read_text(encoding="utf-8"),
        ),
    ]
