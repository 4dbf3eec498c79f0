"""What the database refuses. The SQL beside this file is immutable: a change is a new file."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memorykit", "0002_tables")]
    operations = [
        migrations.RunSQL(
            (_SQL / "0003_guards.up.sql").read_text(encoding="utf-8"),
            (_SQL / "0003_guards.down.sql").read_text(encoding="utf-8"),
        )
    ]
