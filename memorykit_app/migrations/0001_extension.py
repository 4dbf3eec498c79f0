"""The one extension. Alone, so that an administrator can see what is asked for."""

from django.core.exceptions import ImproperlyConfigured
from django.db import ProgrammingError, migrations
from django.db.migrations.operations.base import Operation

MINIMUM = (0, 8, 2)


class RequireVector(Operation):
    """Create `vector` where the role may; otherwise say who must, and check its version."""

    reversible = True
    reduces_to_sql = False

    def state_forwards(self, app_label, state):
        pass

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            row = cursor.fetchone()
            if row is None:
                try:
                    cursor.execute("CREATE EXTENSION vector")
                except ProgrammingError:
                    raise ImproperlyConfigured(
                        "The extension `vector` is missing and this role may not create it: "
                        "an administrator must run CREATE EXTENSION vector in this database."
                    ) from None
                cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
                row = cursor.fetchone()
            version = tuple(int(part) for part in row[0].split(".")[:3])
            if version < MINIMUM:
                raise ImproperlyConfigured(
                    f"pgvector {row[0]} is too old: 0.8.2 or newer is needed. "
                    "An administrator must install it and run ALTER EXTENSION vector UPDATE."
                )

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        pass

    def describe(self):
        return "Require the extension vector, 0.8.2 or newer"


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [RequireVector()]
