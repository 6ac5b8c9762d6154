"""What a test with a real client needs, or the reason why it is not run."""

import pytest

from tests.clients import netns
from tests.clients.clients import ALL


@pytest.fixture(scope="session")
def namespace() -> str:
    """Why there is no network namespace on this machine; empty if there is."""
    return netns.why_not()


@pytest.fixture
def client(request: pytest.FixtureRequest, namespace: str) -> str:
    """The name of a client that can be run here."""
    name: str = request.param
    why = ALL[name].why_not or namespace
    if why:
        pytest.skip(f"NOT RUN: {name} {ALL[name].version}: {why}")
    return name
