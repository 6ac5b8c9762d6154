"""How Hypothesis draws: freely at a desk, the same examples every time in CI."""

import os

from hypothesis import HealthCheck, settings

# Slow drawing says something about the machine (often two busy cores), not about the code.
PATIENT = [HealthCheck.too_slow]

settings.register_profile("dev", deadline=None, suppress_health_check=PATIENT)
settings.register_profile("ci", deadline=None, suppress_health_check=PATIENT, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
