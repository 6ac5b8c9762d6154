"""What a checker finds keeps its meaning, however it is told: under another type's name, in tables, in messages."""

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import FAILURES, REVIEW, SECURITY

View = dict[str, Any]
ASKED = "awaiting-divine-guidance"
VULNERABILITY = SECURITY["vulnerabilities"][0]
APPROVED = {"type": "review_findings", "reviewer": "reviewer", "status": "approved", "findings": [], "approval": True}


def board(folder: Path, column: str = "review") -> Moot:
    moot = new_board(folder, "pipeline")
    moot("add", "Feature X with tests", "--column", column)
    return moot


def place(moot: Moot, item: str = "1") -> tuple[str, str]:
    view = moot("show", item)
    return view["column"], view["status"]


@pytest.mark.ledger("P-03", "P-07", "R-22")
@pytest.mark.parametrize("name", ["vulnerabilities", "security_issues", "problems", "bugs", "failures", "notes"])
def test_an_approval_beside_a_critical_vulnerability_under_any_name_asks_a_person(tmp_path: Path, name: str) -> None:
    moot = board(tmp_path)
    moot.speak("reviewer", {**APPROVED, name: [VULNERABILITY]})
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": []})
    assert place(moot) == ("review", ASKED)
    assert "sql_injection" in moot("inbox")["questions"][0]["question"]


@pytest.mark.ledger("P-03", "R-22")
@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("reviewer", {**APPROVED, "issues": REVIEW["findings"]}),
        ("reviewer", {**APPROVED, "failures": FAILURES["failures"]}),
        ("devils-advocate", {**SECURITY, "vulnerabilities": [], "issues": REVIEW["findings"]}),
        ("devils-advocate", {**SECURITY, "vulnerabilities": [], "findings": {"high": ["user.go:3: no check"]}}),
    ],
)
def test_an_approval_beside_a_list_of_problems_goes_back(tmp_path: Path, agent: str, said: View) -> None:
    moot = board(tmp_path)
    moot.speak(agent, said)
    moot.speak(({"reviewer", "devils-advocate"} - {agent}).pop(), {"outcome": "done"})
    assert place(moot) == ("implement", "ready")
    assert moot("claim", "implementer")["brief"]["findings"][0]["found_by"] == [agent]


@pytest.mark.ledger("R-22", "R-32")
def test_an_approval_beside_a_number_of_vulnerabilities_is_asked_back(tmp_path: Path) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "reviewer"), {**APPROVED, "vulnerabilities": 2})
    assert (said.code, said.error) == (2, "report_refused") and "2 open issues" in said.err


FORM = """## Summary
Reviewed feature X

## Changes Made
- file/path: description

## Issues Found (if applicable)
{issues}

## Next Steps (if applicable)
- Recommended actions

## Status
- [{complete}] Complete / [{more}] Needs follow-up / [ ] Blocked
"""


def form(issues: str, complete: bool = True) -> str:
    return FORM.format(issues=issues, complete="x" if complete else " ", more=" " if complete else "x")


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    "issues",
    [
        "### High\n- handlers/feature.go:42: Missing error handling",
        "### High: Missing error handling\n**File:** handlers/feature.go:42",
        "| Severity | File | Issue |\n|---|---|---|\n| High | handlers/feature.go:42 | Missing error handling |",
        "- High (handlers/feature.go:42): Missing error handling",
    ],
)
def test_issues_found_in_any_layout_go_back_with_their_place(tmp_path: Path, issues: str) -> None:
    moot = board(tmp_path)
    moot.speak("reviewer", form(issues))
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": []})
    assert place(moot) == ("implement", "ready")
    (told,) = moot("claim", "implementer")["brief"]["findings"]
    assert (told["severity"], told["file"], told["line"]) == ("high", "handlers/feature.go", 42)
