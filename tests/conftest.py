"""How Hypothesis draws (freely at a desk, the same every time in CI), and what is said when tests were not run."""

import gc
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

# Slow drawing says something about the machine (often two busy cores), not about the code.
PATIENT = [HealthCheck.too_slow]

settings.register_profile("dev", deadline=None, suppress_health_check=PATIENT)
settings.register_profile("ci", deadline=None, suppress_health_check=PATIENT, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish() -> None:
    """Eight thousand tests are a large heap, and it stays: the collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests did not run, and why: what was skipped has shown nothing."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    if reasons:
        terminalreporter.section(f"NOT RUN: {len(skipped)} tests", red=True, bold=True)
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4d}  {reason.removeprefix('Skipped: ')}")
