"""An approval, and beside it a field that denies it: a no, a count, an exit code, numbers that do not add up. Whoever
looks at the work is asked which of the two holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board

View = dict[str, Any]
APPROVED: View = {"status": "approved", "summary": "I looked at it."}
PASSED: View = {"type": "test_results", "status": "passed"}
SECURE: View = {"type": "security_issues", "source": "devil's-advocate", "status": "approved", "vulnerabilities": []}
GREEN: View = {"total": 10, "passed": 10, "failed": 0}


def tried(folder: Path, preset: str, agent: str, column: str, said: View | str) -> tuple[Moot, Said]:
    moot = new_board(folder, preset)
    moot("add", "User auth", "--column", column)
    return moot, moot.try_in(moot("claim", agent), said)


DENIED: list[View] = [
    {"ready_to_merge": False},
    {"merge": "no"},
    {"lgtm": False},
    {"ok": False},
    {"meets_spec": False},
    {"exit_code": 1},
    {"reviews": [{"file": "a.py", "approved": True}, {"file": "b.py", "approved": False}]},
    {"checks": [{"name": "lint", "passed": False}]},
    {"coverage": {"percent": 40, "required": 80, "ok": False}},
    {"checklist": {"tests exist": True, "errors handled": False}},
    {"criteria": [{"criterion": "login works", "met": True}, {"criterion": "reset works", "met": False}]},
    {"acceptance_criteria": {"login works": "yes", "reset works": "no"}},
    {"critical_count": 1},
    {"issueCount": 2},
    {"issues_count": 2},
    {"high_severity": 1},
    {"issues": [], "count": 2},
    {"findings": [{"issue": "odd name", "severity": "low"}], "count": "2"},
    {"blocking": True},
    {"is_blocking": "yes"},
    {"verdicts": [{"file": "a.py", "needs_changes": True}]},
    {"tests": "could not be run"},
    {"test_results": {"unit": "not run (no database)"}},
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("beside", DENIED, ids=str)
def test_an_approval_beside_a_field_that_denies_it_is_asked_back(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", {**APPROVED, **beside})
    assert (told.code, "which holds?" in told.err) == (2, True), told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "beside",
    [
        {"ready_to_merge": True, "exit_code": 0, "critical_count": 0, "issue_count": "0"},
        {"auto_merge": False, "merge_conflicts": False, "breaking_changes": False},
        {"checklist": {"tests exist": True, "errors handled": True}},
        {"previous_review": {"approved": False}, "history": [{"iteration": 1, "approved": False}]},
        {"low_count": 1, "fixed_issue_count": 2, "file_count": 3},
        {"issues": [], "count": 0},
        {"files_reviewed": ["a.py", "b.py", "c.py"], "count": 3},
        {"blocking": False, "non_blocking": True, "previous_review": {"blocking": True}},
        {"tests": "run, and all passed"},
    ],
    ids=str,
)
def test_an_approval_beside_what_denies_nothing_holds(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", {**APPROVED, **beside})
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("ending", ["TASK_COMPLETE", '{"outcome": "done", "summary": "I looked at it."}'])
@pytest.mark.parametrize("heading", ["## Problems found", "### Issues", "## Concerns", "**Issues**"])
def test_problems_without_a_severity_above_a_reviewers_own_end_are_asked_back(
    tmp_path: Path, heading: str, ending: str
) -> None:
    said = f"I looked at it.\n\n{heading}\n- the session never ends\n- names differ\n\n{ending}\n"
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", said)
    assert told.code == 2 and "2 open issues" in told.err, told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "listed",
    [
        "## Problems found\n- Low: names differ",
        "## Problems found\nNone",
        "## Minor issues\n- names differ",
        "## Fixed problems\n- the session never ended",
        "## Findings\n- names differ",
    ],
)
def test_remarks_above_a_reviewers_own_end_stay_remarks(tmp_path: Path, listed: str) -> None:
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", f"I looked at it.\n\n{listed}\n\nTASK_COMPLETE\n")
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("R-22")
def test_a_grave_problem_above_a_reviewers_own_end_sends_the_work_back(tmp_path: Path) -> None:
    said = "I looked at it.\n\n## Problems found\n- High: a.py:3 the session never ends\n\nTASK_COMPLETE\n"
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", said)
    assert told.code == 0 and moot("show", "1")["column"] == "fix", told.err


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("told", ["could not be run", "not executed: no docker here", {"unit": "were not run"}])
def test_whoever_makes_the_work_is_asked_about_a_field_that_says_its_tests_did_not_run(
    tmp_path: Path, told: object
) -> None:
    said = {"status": "complete", "summary": "Login is there.", "tests": told}
    moot, heard = tried(tmp_path, "quest", "codeweaver", "weave", said)
    assert heard.code == 2 and "which holds?" in heard.err, heard.err
    assert moot("show", "1")["column"] == "weave"


@pytest.mark.ledger("R-22", "P-03")
def test_holes_that_are_only_counted_are_asked_back(tmp_path: Path) -> None:
    _, told = tried(tmp_path, "pipeline", "devils-advocate", "review", {**SECURE, "critical_count": 1})
    assert told.code == 2 and "1 open issue" in told.err, told.err


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize(
    "beside",
    [
        {"summary": {"total": 10, "passed": 8, "failed": 0}},
        {"summary": {"total": 10, "passed": 10, "failed": 3}},
        {"summary": {"total": 0, "passed": 0, "failed": 0}},
        {"summary": GREEN, "exit_code": 1},
        {"summary": GREEN, "results": [{"test": "TestA", "passed": True}, {"test": "TestB", "passed": False}]},
    ],
    ids=str,
)
def test_tests_that_passed_beside_numbers_that_say_otherwise_do_not_land(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "pipeline", "test-executor", "test", {**PASSED, **beside})
    assert told.code == 2 or moot("show", "1")["column"] == "implement", told.out
    assert moot("show", "1")["status"] != "done"


@pytest.mark.ledger("P-06")
@pytest.mark.parametrize("more", [{"skipped": 2}, {"pending": 2}])
def test_numbers_that_name_the_rest_add_up(tmp_path: Path, more: View) -> None:
    summary = {"total": 10, "passed": 8, "failed": 0, **more}
    moot, told = tried(tmp_path, "pipeline", "test-executor", "test", {**PASSED, "summary": summary})
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("JWT, Session or OAuth", ["JWT", "Session", "OAuth"]),
        ("JWT or Session", ["JWT", "Session"]),
        ("JWT / Session / OAuth 2", ["JWT", "Session", "OAuth 2"]),
        ("Either ask the user or keep both", ["ask the user", "keep both"]),
        ("Ask once or twice", ["Ask once or twice"]),
        ("Page it (offset or cursor)", ["Page it (offset or cursor)"]),
        ("Retry, give up (now or later)", ["Retry", "give up (now or later)"]),
    ],
)
def test_options_in_one_text_are_each_an_option(tmp_path: Path, words: str, options: list[str]) -> None:
    payload = {"reason": "spec_ambiguity", "details": "Which?", "options": words, "blocking": True}
    said = {"type": "escalation", "from": "builder", "to": "orchestrator", "payload": payload}
    moot, told = tried(tmp_path, "handoff", "builder", "build", said)
    assert told.code == 0, told.err
    (asked,) = moot("inbox")["questions"]
    assert [one["option"] for one in asked["options"]] == options, json.dumps(asked)
