"""The app's wiring."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MemorykitConfig(AppConfig):
    name = "memorykit_app"
    label = "memorykit"
    verbose_name = _("Memory")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Registers the system checks.
        from memorykit_app import checks  # noqa: F401
