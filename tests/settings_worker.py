"""Settings of a worker under attack: short leases and an extractor that takes its time."""

from project.settings_test import *  # noqa: F403

MEMORYKIT = {
    **MEMORYKIT,  # noqa: F405
    "EXTRACTOR": {"BACKEND": "tests.doubles.SleepyExtractor", "OPTIONS": {"seconds": 0.5}},
    "JOBS": {
        "LEASE_SECONDS": 2,
        "DRAIN_SECONDS": 5,
        "MAX_ATTEMPTS": 100,
        "BELL_AFTER_SECONDS": 1,
        "RETRY": {"BASE": 0.1, "CAP": 0.5},
    },
}
