"""The matrix names tests that are there, leaves out no fault, and the page says what was seen."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.faults.matrix import HERE, NO_DOOR, ROWS, Row
from tests.faults.page import PAGE, page
from tests.faults.witness import read_observed

ROOT = Path(__file__).parents[2]
NUMBERS = [*(f"F{number}" for number in range(1, 26)), "F25b", *(f"F{number}" for number in range(26, 41))]


@cache
def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_no_fault_is_left_out() -> None:
    assert [row.number for row in ROWS] == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_each_row_names_tests_that_are_there(row: Row) -> None:
    assert bool(row.tests) != (row.how == NO_DOOR)
    missing = [test for test in row.tests if test.split("::")[1] not in names_in(test.split("::")[0])]
    assert missing == []


def test_every_test_of_this_folder_is_named() -> None:
    """A fault that is made and told nowhere might as well not be."""
    named = {test for row in ROWS for test in row.tests}
    tells = {
        f"{HERE}{path.name}::{node.name}"
        for path in sorted((ROOT / HERE).glob("test_*.py"))
        if path.name != Path(__file__).name
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and "saw(" in ast.unparse(node)
    }
    assert tells - named == set()


def test_the_page_says_what_was_seen() -> None:
    assert PAGE.read_text("utf-8") == page(read_observed()), "run `python -m tests.faults.page`"


def test_every_row_was_seen() -> None:
    observed = read_observed()
    unseen = [row.number for row in ROWS if row.is_seen_here and not observed.get(row.number)]
    assert unseen == []
