"""Settings of a worker that is killed during a rebuild: short leases and a slow second model."""

from tests.settings_worker import *  # noqa: F403

SHADOW = "slow-16"
MEMORYKIT = {
    **MEMORYKIT,  # noqa: F405
    "EMBEDDERS": {
        **MEMORYKIT["EMBEDDERS"],  # noqa: F405
        SHADOW: {"BACKEND": "tests.doubles.SleepyEmbedder", "OPTIONS": {"seconds": 0.02}},
    },
    "JOBS": {**MEMORYKIT["JOBS"], "CLAIM_BATCH": 8},  # noqa: F405
}
