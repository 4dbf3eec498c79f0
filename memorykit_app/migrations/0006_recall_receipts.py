"""Receipts of recall: who was served which record in which version, and never its text."""

from pathlib import Path

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0005_seals")]
    operations = [
        migrations.CreateModel(
            name="RecallReceipt",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                (
                    "entry",
                    models.CharField(
                        choices=[
                            ("api", "api"),
                            ("command", "command"),
                            ("admin", "admin"),
                            ("projection", "projection"),
                            ("tools", "tools"),
                            ("python", "python"),
                        ],
                        max_length=16,
                    ),
                ),
                ("actor", models.CharField(max_length=512)),
                ("host_key", models.CharField(blank=True, max_length=64)),
                ("run_id", models.CharField(blank=True, max_length=128)),
                ("query_digest", models.CharField(max_length=64)),
                ("asked", models.JSONField()),
                ("items", models.JSONField()),
                ("dropped", models.JSONField()),
                (
                    "degraded",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16), size=None
                    ),
                ),
                ("policy", models.CharField(max_length=64)),
                ("profile", models.CharField(max_length=128)),
                ("created_at", models.DateTimeField()),
                ("kept_until", models.DateTimeField()),
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
                "db_table": "memorykit_recall_receipt",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(
                        fields=["scope", "created_at"], name="memorykit_recall_receipt_time"
                    ),
                    models.Index(
                        fields=["scope", "kept_until"], name="memorykit_recall_receipt_kept"
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            (_SQL / "0006_recall_receipts.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0006_recall_receipts.down.sql").read_text(encoding="utf-8"),
        ),
    ]
