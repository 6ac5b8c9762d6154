"""`Issues: 2`, as the handoff document's reviewer returns it, above the issues themselves."""

from pathlib import Path

import pytest

from tests.acceptance.test_handoff_returns import Desk

LIST = "1. a.py:3 password logged\n2. b.py:9 no test\n"
TOLD = ["a.py:3 password logged", "b.py:9 no test"]
FORMS = [
    "**Status**: needs_fixes\n**Issues**: {}\n",
    "Status: needs_fixes\nIssues: {}\n",
    "Returns: {status: needs_fixes}\n\nIssues: {}\n\n",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("form", FORMS)
def test_a_count_beside_a_list_that_agrees_is_no_finding(tmp_path: Path, form: str) -> None:
    item = Desk(tmp_path, "review").says(form.replace("{}", "2") + LIST)
    assert item["column"] == "fix" and [one["issue"] for one in item["findings"]] == TOLD


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("number", ["1", "3"])
@pytest.mark.parametrize("form", FORMS)
def test_one_that_disagrees_is_asked_back(tmp_path: Path, form: str, number: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(form.replace("{}", number) + LIST)
    assert said.code == 2 and "tells 2" in said.err
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22", "R-32")
def test_an_approval_above_issues_that_are_counted_and_listed_is_asked_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(f"**Status**: approved\n**Issues**: 2\n{LIST}")
    assert said.code == 2 and "it names 2 open issues" in said.err


AS_PRINTED = [LIST + "\n{status: needs_fixes, issues: 2}\n", '{"status": "needs_fixes", "issues": 2}\n\n' + LIST]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "said", [*AS_PRINTED, f"I looked at it.\n\n{LIST}   It is in the log.\n\n{AS_PRINTED[0][-34:]}"]
)
def test_a_return_that_counts_has_its_issues_in_the_list_beside_it(tmp_path: Path, said: str) -> None:
    item = Desk(tmp_path, "review").says(said)
    assert item["column"] == "fix" and [one["issue"][:12] for one in item["findings"]] == [one[:12] for one in TOLD]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("number", ["1", "3"])
def test_a_return_that_counts_otherwise_than_the_list_is_asked_back(tmp_path: Path, number: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(AS_PRINTED[0].replace("issues: 2", f"issues: {number}"))
    assert said.code == 2 and desk.moot("show", "1")["column"] == "review"
