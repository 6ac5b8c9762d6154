"""Each misfortune ends with one line that names its cause and the next step, few runs, and no item lost."""

from functools import cache
from pathlib import Path

import pytest

from tests.misfortunes.page import PAGE, line
from tests.misfortunes.stage import played, why_not
from tests.misfortunes.table import MISFORTUNES, Misfortune

RUNS_MAX = 3


@cache
def page() -> str:
    return PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.slow else []) for case in MISFORTUNES],
)
def test_a_misfortune_ends_with_its_cause_and_the_next_step(case: Misfortune, tmp_path: Path) -> None:
    if why := why_not(case):
        pytest.skip(f"NOT RUN: {case.name}: {why}")
    seen = played(case, tmp_path / "place")
    assert case.says in seen.line, f"{seen.line}\n{seen.out}"
    assert seen.step, f"nobody says what to do next\n{seen.out}"
    assert case.step in f"{seen.line} {seen.step}", f"{seen.line}\n{seen.step}"
    assert seen.runs <= RUNS_MAX, f"{seen.runs} runs\n{seen.out}"
    assert seen.questions <= 1, "one question for all items"
    assert seen.items == case.items and not seen.lost, f"{seen.items} items, lost {seen.lost}\n{seen.out}"
    assert seen.doctor, "doctor finds something"
    assert line(case, seen) in page(), "write the page anew: python -m tests.misfortunes.page"


def test_the_page_has_every_misfortune_and_no_other() -> None:
    rows = [row.split(" | ")[0].removeprefix("| ") for row in page().splitlines() if row.startswith("| ")]
    assert rows[1:] == [case.name for case in MISFORTUNES]
