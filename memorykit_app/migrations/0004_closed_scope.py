"""A closed scope refuses every write but its erasure, also past the services."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0003_guards")]
    operations = [
        migrations.RunSQL(
            (_SQL / "0004_closed_scope.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0004_closed_scope.down.sql").read_text(encoding="utf-8"),
        )
    ]
