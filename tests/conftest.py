"""How Hypothesis draws (freely at a desk, the same every time in CI), and what is said when tests were not run."""

import gc
import os
from collections import Counter
from subprocess import CalledProcessError
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import stores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import Server

# Modules and tests stay: to look through them for what could go, again and again while they come, took two fifths of
# the time until the first test.
gc.disable()

ON_SERVER = "boards on a server"

# Slow drawing says something about the machine (often two busy cores), not about the code.
PATIENT = [HealthCheck.too_slow]

settings.register_profile("dev", deadline=None, suppress_health_check=PATIENT)
settings.register_profile("ci", deadline=None, suppress_health_check=PATIENT, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_finish() -> None:
    """Eighteen thousand tests are a large heap, and the collector need never walk through it."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """A PostgreSQL server for the tests of this process. Where none can be started, they are not run: it is said."""
    from tests.postgres import Server

    try:
        server = Server()
    except (OSError, RuntimeError, KeyError, CalledProcessError) as fault:
        pytest.skip(f"no PostgreSQL server can be started here: {str(fault)[:200]}")
    yield server
    server.remove()


@pytest.fixture(autouse=True, scope="session")
def boards_on_the_chosen_store(request: pytest.FixtureRequest) -> "Iterator[None]":
    if not stores.on_a_server():
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        stores.put_boards_on(request.getfixturevalue("postgres"), patch)
        yield


@pytest.fixture(autouse=True, scope="module")
def boards_of_a_module(boards_on_the_chosen_store: None) -> "Iterator[None]":
    with stores.removed_afterwards():
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    about = item.get_closest_marker("embedded")
    if about is not None and stores.on_a_server():
        pytest.skip(f"about the embedded store: {about.args[0]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> "Iterator[None]":
    if not stores.on_a_server():
        yield
        return
    with stores.of_one_test() as opened:
        yield
    assert not opened.embedded, f"this test opened an embedded store, and was to run on a server: {opened.embedded[0]}"
    if opened.on_server:
        item.user_properties.append((ON_SERVER, opened.on_server))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests did not run, and why: what was skipped has shown nothing."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    if reasons:
        terminalreporter.section(f"NOT RUN: {len(skipped)} tests", red=True, bold=True)
        for reason, count in reasons.most_common():
            terminalreporter.line(f"{count:4d}  {reason.removeprefix('Skipped: ')}")
    if stores.on_a_server():
        passed = [report for report in terminalreporter.stats.get("passed", []) if report.when == "call"]
        there = sum(any(name == ON_SERVER for name, _ in report.user_properties) for report in passed)
        terminalreporter.line(f"{there} of {len(passed)} that passed had a board on a server in their own process")
