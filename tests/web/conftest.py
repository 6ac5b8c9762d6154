"""One browser for the tests of a module. It ends with them: while it lives, this thread can run no other event loop."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.web.browser import Visitor, chromium, program, visiting
from tests.web.stage import Stage, staged

BUILT = Path(__file__).parents[2] / "src" / "folkmoot" / "doors" / "web" / "built" / "index.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if program() is None:
        pytest.skip("NOT TESTED: there is no Chromium here (apt-get install chromium, or MOOT_TEST_BROWSER)")
    if not BUILT.is_file():
        pytest.skip("NOT TESTED: the page is not built (make web)")
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, dict[str, str]]]:
    """A stage that is only looked at."""
    with staged(tmp_path_factory.mktemp("shared")) as made:
        yield made


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[tuple[Stage, dict[str, str]]]:
    """A stage to act on."""
    with staged(tmp_path) as made:
        yield made


@pytest.fixture
def visitor(browser: Browser, stage: tuple[Stage, dict[str, str]]) -> Iterator[Visitor]:
    with visiting(browser, stage[0].server) as made:
        yield made
        assert not made.faults, made.faults
        assert_at_home(made)


@pytest.fixture
def looker(browser: Browser, shared: tuple[Stage, dict[str, str]]) -> Iterator[Visitor]:
    with visiting(browser, shared[0].server) as made:
        yield made
        assert not made.faults, made.faults
        assert_at_home(made)


def assert_at_home(visitor: Visitor) -> None:
    """Nothing was asked of any other place."""
    strange = [url for url in visitor.asked if not url.startswith((visitor.address, "data:", "blob:"))]
    assert not strange, strange
