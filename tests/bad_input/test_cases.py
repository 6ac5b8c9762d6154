"""Every case of the matrix: the answer is the case's, and the page's; a refusal changes nothing."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.bad_input.page import PAGE, line, rendered
from tests.bad_input.table import CASES, ROWS, WITHOUT_A_DOOR
from tests.bad_input.yard import Case, Seen, Yard


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    return Yard.make(tmp_path_factory.mktemp("furnished"))


@pytest.fixture(scope="session")
def shared(furnished: Yard, tmp_path_factory: pytest.TempPathFactory) -> Yard:
    """For all that is refused: whoever changes it spoils it for the next, and is found by that."""
    return furnished.copy(tmp_path_factory.mktemp("shared") / "board")


@cache
def page() -> frozenset[str]:
    return frozenset(PAGE.read_text("utf-8").splitlines())


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_bad_input_is_answered_by_name(case: Case, furnished: Yard, shared: Yard, tmp_path: Path) -> None:
    seen = case.act(furnished.copy(tmp_path / "board") if case.fresh else shared)
    assert seen == Seen(case.exit, case.code, case.after)
    assert line(case, seen) in page(), "write the page anew: python -m tests.bad_input.page"


def test_the_page_has_these_cases_and_no_others() -> None:
    expected = {case.id: Seen(case.exit, case.code, case.after) for case in CASES}
    assert PAGE.read_text("utf-8") == rendered(expected)


def test_every_row_has_cases_or_has_no_door() -> None:
    count = Counter(case.row for case in CASES)
    assert set(count) | set(WITHOUT_A_DOOR) == set(ROWS) and not set(count) & set(WITHOUT_A_DOOR)
    assert len(CASES) >= 150 and len({case.id for case in CASES}) == len(CASES)
    # Only what goes to a closed or full stream has no error that could be read.
    assert {case.row for case in CASES if case.exit and not case.code} == {"B30"}
