"""Seals: a hash chain per scope over the metadata of its revisions."""

from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0004_closed_scope")]
    operations = [
        migrations.CreateModel(
            name="Seal",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveBigIntegerField()),
                ("memory_id", models.UUIDField()),
                ("version", models.PositiveIntegerField()),
                ("action", models.CharField(max_length=16)),
                ("actor", models.CharField(max_length=512)),
                ("reason", models.CharField(blank=True, max_length=64)),
                ("created_at", models.DateTimeField()),
                ("hash", models.CharField(max_length=64)),
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
                "db_table": "memorykit_seal",
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("scope", "number"), name="memorykit_seal_number"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            (_SQL / "0005_seals.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0005_seals.down.sql").read_text(encoding="utf-8"),
        ),
    ]
