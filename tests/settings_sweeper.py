"""Settings of a sweeper that is in a hurry."""

from project.settings_test import *  # noqa: F403

MEMORYKIT = {**MEMORYKIT, "JOBS": {"SWEEP_SECONDS": 1}}  # noqa: F405
