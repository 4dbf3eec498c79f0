"""Profiles get a state. The SQL beside this file is immutable: a change is a new file."""

from pathlib import Path

from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0006_recall_receipts")]
    operations = [
        migrations.AddField(
            model_name="profile",
            name="state",
            field=models.CharField(
                choices=[
                    ("building", "building"),
                    ("standby", "standby"),
                    ("serving", "serving"),
                    ("dropping", "dropping"),
                ],
                default="standby",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="profile",
            name="cursor_scope",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="profile",
            name="cursor_memory",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="profile",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "serving")),
                fields=("state",),
                name="memorykit_profile_one_serving",
            ),
        ),
        migrations.AddConstraint(
            model_name="profile",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["building", "standby", "serving", "dropping"])),
                name="memorykit_profile_state",
            ),
        ),
        migrations.RunSQL(
            (_SQL / "0007_profiles.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0007_profiles.down.sql").read_text(encoding="utf-8"),
        ),
    ]
