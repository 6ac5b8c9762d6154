"""What an author of the pipeline document says in a way of its own keeps its meaning, or is asked back: severities that
are misspelt, tests told one by one, a verdict in the words beside it, another agent that is sent for."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board
from tests.documents import RESULTS, REVIEW, SECURITY

View = dict[str, Any]
ASKED = "awaiting-divine-guidance"
APPROVED = {"type": "review_findings", "reviewer": "reviewer", "status": "approved", "findings": [], "approval": True}
PASSED = {"type": "test_results", "status": "passed"}
COLUMNS = {"implementer": "implement", "reviewer": "review", "devils-advocate": "review", "test-executor": "test"}
HOLE = SECURITY["vulnerabilities"][0]


def board(folder: Path, agent: str) -> Moot:
    moot = new_board(folder, "pipeline")
    moot("add", "Feature X with tests", "--column", COLUMNS[agent])
    return moot


def said(folder: Path, agent: str, words: str | View, *more: str) -> tuple[Moot, Said]:
    moot = board(folder, agent)
    return moot, moot.try_in(moot("claim", agent), words, *more)


def form(summary: str, *sections: str) -> str:
    status = "## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked"
    return "\n\n".join([f"## Summary\n{summary}", *sections, status]) + "\n"


def fenced(message: View) -> str:
    return f"```json\n{json.dumps(message)}\n```\n"


def place(moot: Moot) -> tuple[str, str]:
    view = moot("show", "1")
    return view["column"], view["status"]


@pytest.mark.ledger("R-22", "P-03")
@pytest.mark.parametrize("name", ["sevrity", "severity_level", "Severty", "criticality"])
def test_a_severity_under_a_misspelt_name_is_that_severity(tmp_path: Path, name: str) -> None:
    found = {name: "critical", "file": "a.go", "issue": "the door is open"}
    moot, told = said(tmp_path, "reviewer", {**APPROVED, "findings": [found]})
    assert told.code == 0, told.err
    assert place(moot) == ("review", ASKED)


@pytest.mark.ledger("R-22", "P-09")
@pytest.mark.parametrize("label", ["Crtical", "Hihg", "Very high", "Medium-High", "Potentially critical"])
def test_a_label_that_is_close_to_a_grave_severity_is_asked_back(tmp_path: Path, label: str) -> None:
    _, told = said(tmp_path, "reviewer", form("looked", f"## Issues Found\n- {label}: a.go:3 the login is open"))
    assert told.code == 2 and f"severity '{label}' is not one of" in told.err, told.err


@pytest.mark.ledger("R-22", "P-09")
def test_so_it_is_in_a_list_of_texts(tmp_path: Path) -> None:
    _, told = said(tmp_path, "reviewer", {**APPROVED, "findings": ["Crtical: a.go:3 the login is open"]})
    assert told.code == 2 and "severity 'Crtical' is not one of" in told.err, told.err


@pytest.mark.ledger("R-22", "P-09")
@pytest.mark.parametrize("label", ["High-level docs", "Height", "Login", "Higher order", "Critics", "Load too high"])
def test_other_labels_are_words(tmp_path: Path, label: str) -> None:
    _, told = said(tmp_path, "reviewer", form("looked", f"## Issues Found\n- {label}: see a.go:3"))
    assert told.code == 0, told.err


@pytest.mark.ledger("R-22", "R-26")
def test_a_severity_that_nobody_knows_is_refused_where_it_is_sent(tmp_path: Path) -> None:
    moot = board(tmp_path, "devils-advocate")
    claim = moot("claim", "devils-advocate")
    message = {**SECURITY, "vulnerabilities": [{**HOLE, "severity": "crtical"}]}
    told = moot.say("send", "-", "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(message))
    assert (told.code, told.error) == (2, "bad_message") and "severity 'crtical' is not one of" in told.err


ONE_BY_ONE: list[View] = [
    {**PASSED, "results": [{"test": "TestA", "status": "passed"}, {"test": "TestB", "status": "failed"}]},
    {**PASSED, "tests": [{"name": "TestA", "result": "pass"}, {"name": "TestB", "result": "FAIL"}]},
]


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize("told", ONE_BY_ONE)
def test_a_test_that_failed_in_a_list_of_all_tests_has_failed(tmp_path: Path, told: View) -> None:
    moot, _ = said(tmp_path, "test-executor", told)
    assert place(moot) == ("implement", "ready")
    found = moot("show", "1")["findings"]
    assert [(one["kind"], one["test"], one["issue"]) for one in found] == [("test", "TestB", "TestB failed")]


RED = [
    form("All tests pass except TestB."),
    form("All tests pass, except for TestB."),
    form("All but one of the tests pass."),
    form("Every test is green apart from TestB."),
    {**PASSED, "notes": "TestX is red on CI"},
    {**PASSED, "notes": "TestX does not pass on CI"},
    "8 of 10 passed.\n\n" + fenced(PASSED),
    fenced(RESULTS) + "\n## Phase 2 Complete ✓\n- Integration tests: 8/10 passed\n",
]


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize("told", RED)
def test_a_red_test_in_any_words_beside_passed_is_asked_back(tmp_path: Path, told: str | View) -> None:
    _, answer = said(tmp_path, "test-executor", told)
    assert answer.code == 2 and "which holds" in answer.err, answer.err


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize(
    ("words", "failed"),
    [("9 green, 1 red", 1), ("All but two of the ten tests passed.", 2), ("All except 2 of 10 tests passed", 2)],
)
def test_counts_in_other_words_are_counts(tmp_path: Path, words: str, failed: int) -> None:
    moot, _ = said(tmp_path, "test-executor", form(words))
    assert place(moot) == ("implement", "ready")
    assert moot("show", "1")["tests"] == {"total": 10, "passed": 10 - failed, "failed": failed}


GREEN: list[str | View] = [
    {**PASSED, "summary": "9/10 passed, 1 skipped"},
    {**PASSED, "summary": {"total": 10, "passed": 9, "skipped": 1}},
    form("9 of 10 tests passed, 1 skipped."),
    form("All tests pass except the skipped ones."),
    form("All tests pass. Without the fix all pass except TestB."),
    form("At first 8 of 10 passed; now 10 of 10 passed."),
    {**PASSED, "results": [{"test": "TestA", "status": "passed"}, {"test": "TestB", "status": "skipped"}]},
]


@pytest.mark.ledger("P-06", "P-10")
@pytest.mark.parametrize("told", GREEN)
def test_a_test_that_was_skipped_has_not_failed(tmp_path: Path, told: str | View) -> None:
    moot, answer = said(tmp_path, "test-executor", told)
    assert answer.code == 0, answer.err
    assert place(moot) == ("done", "done")


MEDIUM = {**REVIEW["findings"][0], "severity": "medium"}
WITHHELD: list[str | View] = [
    {**APPROVED, "notes": "Do not merge until the migration is reviewed"},
    {**APPROVED, "recommendation": "Do not merge"},
    {**APPROVED, "comments": "Please fix the nil dereference in a.go:3 before merging"},
    {**APPROVED, "conditions": ["Add tests for pagination"]},
    {**APPROVED, "findings": [{**MEDIUM, "recommendation": "Must be fixed before the release"}]},
    {**APPROVED, "findings": [{**MEDIUM, "must_fix": True}]},
    {**APPROVED, "findings": [{**MEDIUM, "blocking": "yes"}]},
    {**APPROVED, "critical": 1, "high": 0},
    {**APPROVED, "risk": "critical"},
    fenced(APPROVED) + "\nDo not merge before the migration is in.",
    fenced(APPROVED) + "\nI can't approve this yet.",
    "It looks good, but there is one blocking problem: the error in a.go:3 is swallowed.\n\n" + fenced(APPROVED),
    {**APPROVED, "summary": "One blocker: the error in a.go:3 is swallowed"},
    {**APPROVED, "notes": "I found a serious bug in a.go:3"},
    form("looked", "## Next Steps\n- Fix the missing error check in handlers/feature.go:42"),
    form("looked", "## Next Steps\n- Implementer: fix handlers/feature.go:42"),
    form("looked", "## Issues Found\n- CVSS 9.8: a.go:3 the login is open"),
    form("looked", "## Issues Found\n- a.go:3 the login is open (CVSS score 9.8)"),
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("told", WITHHELD)
def test_an_approval_that_its_own_words_take_back_is_asked_back(tmp_path: Path, told: str | View) -> None:
    _, answer = said(tmp_path, "reviewer", told)
    assert answer.code == 2 and "which holds" in answer.err, answer.err


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("name", ["required_changes", "must_fix", "changes_requested"])
def test_required_changes_beside_an_approval_go_back(tmp_path: Path, name: str) -> None:
    moot, answer = said(tmp_path, "reviewer", {**APPROVED, name: ["Add an error check in a.go:4"]})
    assert answer.code == 0, answer.err
    moot.effort("devils-advocate", "done")
    assert place(moot) == ("implement", "ready")
    assert [one["line"] for one in moot("claim", "implementer")["brief"]["findings"]] == [4]


GIVEN: list[str | View] = [
    {**APPROVED, "notes": "Nothing must be fixed. Ready to merge."},
    {**APPROVED, "notes": "I would not block the merge for it"},
    {**APPROVED, "conditions": []},
    {**APPROVED, "required_changes": "none"},
    {**APPROVED, "findings": [{**MEDIUM, "must_fix": False, "blocking": "no"}]},
    {**APPROVED, "critical": 0, "high": 0},
    {**APPROVED, "risk": "low", "confidence": "high"},
    form("looked", "## Next Steps\n- Fix the naming in a follow-up"),
    form("looked", "## Next Steps\n- Run the tests\n- Fixed in this branch already"),
    form("looked", "## Issues Found\n- a.go:3 long line (CVSS 2.1)"),
    fenced(APPROVED) + "\nI ran the linter before merging the branches.",
    {**APPROVED, "notes": "One non-blocking issue: a.go:3 has a long name"},
    {**APPROVED, "notes": "No blockers. The blocking issue of round 1 has been fixed."},
    {**APPROVED, "notes": "Blocking issues: none. Critical issues: 0"},
    {**APPROVED, "notes": "The name is not a blocker"},
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("told", GIVEN)
def test_an_approval_with_kind_words_is_one(tmp_path: Path, told: str | View) -> None:
    moot, answer = said(tmp_path, "reviewer", told)
    assert answer.code == 0, answer.err
    assert moot("show", "2")["runs"][-1]["outcome"] == "done"


DISPATCH = fenced({"agent": "implementer", "task": "Fix the error check in a.go:3"})


@pytest.mark.ledger("P-02", "R-32")
@pytest.mark.parametrize("end", [fenced(APPROVED), form("looked")])
def test_an_agent_that_is_sent_for_beside_an_approval_is_asked_back(tmp_path: Path, end: str) -> None:
    moot, answer = said(tmp_path, "reviewer", f"{DISPATCH}\n{end}")
    assert answer.code == 2 and "dispatch" in answer.err and "which holds" in answer.err, answer.err
    claim = moot("board")["runs"][0]
    moot.hand_in({"run": claim["run"], "token": 1}, f"{DISPATCH}\n{end}", "--final")
    moot.effort("devils-advocate", "done")
    assert place(moot) == ("implement", "ready"), "the last word of a process is read strictly"
    found = moot("claim", "implementer")["brief"]["findings"]
    assert [one["issue"] for one in found] == ["Fix the error check in a.go:3"]


@pytest.mark.ledger("P-02", "R-32")
def test_an_agent_that_is_sent_for_and_no_end_is_shown_the_way(tmp_path: Path) -> None:
    _, answer = said(tmp_path, "reviewer", f"I need help.\n\n{DISPATCH}")
    assert answer.code == 2 and "dispatch that agent" in answer.err


@pytest.mark.ledger("P-03", "R-26")
@pytest.mark.parametrize("name", ["question", "questions"])
def test_several_questions_that_are_sent_are_all_asked(tmp_path: Path, name: str) -> None:
    moot = board(tmp_path, "implementer")
    message = {"type": "clarification_request", "from": "implementer", name: ["Pagination?", "Which limit?"]}
    moot("send", "-", stdin=json.dumps(message))
    assert moot("inbox")["questions"][0]["question"] == "Pagination?\nWhich limit?"


@pytest.mark.ledger("P-03", "R-16")
@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("reviewer", {**APPROVED, "questions": ["Should it support pagination?"]}),
        ("implementer", form("built", "## Questions\n- Should it support pagination?")),
    ],
)
def test_questions_beside_an_end_are_asked_back(tmp_path: Path, agent: str, told: str | View) -> None:
    moot = board(tmp_path, agent)
    answer = moot.try_in(moot("claim", agent), told)
    assert answer.code == 2 and "Should it support pagination?" in answer.err, answer.err


@pytest.mark.ledger("P-03", "P-08", "R-26")
def test_an_assignment_that_waits_for_something_is_told_how(tmp_path: Path) -> None:
    moot = board(tmp_path, "implementer")
    message = {"type": "task_assignment", "task_id": "b", "description": "Fix it", "depends_on": ["1"]}
    sent = moot("send", "-", "--as", "dispatcher", "--to", "implementer", stdin=json.dumps(message))
    assert sent["note"] == "depends_on: item 2 waits for no other by a message; edit the item to say after which"


@pytest.mark.ledger("P-03")
def test_where_a_finding_is_survives_in_other_shapes(tmp_path: Path) -> None:
    found = {"severity": "high", "issue": "No check"}
    both = [{**found, "files": ["a.go", "b.go"]}, {**found, "file": "c.go", "line": "forty-two"}]
    moot, _ = said(tmp_path, "reviewer", {**REVIEW, "findings": both})
    moot.effort("devils-advocate", "done")
    told = moot("claim", "implementer")["brief"]["findings"]
    assert [(one["file"], one["issue"]) for one in told] == [
        ("a.go", "No check (a.go, b.go)"),
        ("c.go", "No check (lines forty-two)"),
    ]


@pytest.mark.ledger("P-03", "R-22")
def test_all_that_a_finding_says_reaches_the_person_and_the_implementer(tmp_path: Path) -> None:
    hole = {
        "severity": "critical",
        "title": "SQL injection in login",
        "description": "User input is concatenated",
        "location": "services/user.go:123-130",
        "mitigation": "Use parameterized queries",
        "cvss": 9.8,
        "references": ["CWE-89", "OWASP A03"],
        "context": "Called on each request",
        "pre_existing": True,
        "assignee": None,
        "status": "open",
    }
    moot, _ = said(tmp_path, "devils-advocate", {**SECURITY, "vulnerabilities": [hole]})
    question = moot("inbox")["questions"][0]
    more = "title: SQL injection in login; cvss: 9.8; references: CWE-89, OWASP A03; context: Called on each request; "
    more += "pre_existing: true"
    assert f"why it matters: {more}\n  fix: Use parameterized queries" in question["context"]
    moot("answer", question["id"], "fix it")
    moot.effort("reviewer", "done")
    (told,) = moot("claim", "implementer")["brief"]["findings"]
    assert (told["why"], told["recommendation"]) == (more, "Use parameterized queries")


@pytest.mark.ledger("P-03", "R-26")
def test_so_it_does_where_it_is_sent(tmp_path: Path) -> None:
    moot = board(tmp_path, "reviewer")
    claim = moot("claim", "reviewer")
    found = {**REVIEW["findings"][0], "impact": "The server stops", "note": "It was there before"}
    message = json.dumps({**REVIEW, "findings": [found]})
    moot("send", "-", "--to", "implementer", "--run", claim["run"], "--token", str(claim["token"]), stdin=message)
    moot.hand_in(claim, form("sent my findings"))
    moot.effort("devils-advocate", "done")
    (told,) = moot("claim", "implementer")["brief"]["findings"]
    assert told["why"] == "The server stops; note: It was there before"


MESSAGES: list[View] = [
    {"type": "test_failures", "failures": [{"test": "test_reset", "error": "gives 500"}]},
    REVIEW,
    {"type": "clarification_request", "question": "Which database?", "blocking": True},
]


@pytest.mark.ledger("R-32", "P-03", "P-09")
@pytest.mark.parametrize("given", MESSAGES, ids=lambda given: given["type"])
def test_a_maker_that_quotes_what_it_was_given_beside_complete_is_asked_which_it_means(
    tmp_path: Path, given: View
) -> None:
    moot = board(tmp_path, "implementer")
    claim = moot("claim", "implementer")
    told = moot.try_in(claim, form(f"Dealt with this:\n\n{fenced(given)}"))
    assert told.code == 2 and "it says done, and a message in it says" in told.err, told.err
    quoted = "".join(f"> {line}\n" for line in fenced(given).splitlines())
    told = moot.try_in(claim, form(f"Dealt with this:\n\n{quoted}"))
    assert told.code == 0 and place(moot)[0] != "implement", told.err


@pytest.mark.ledger("R-32", "P-03")
def test_a_testers_complete_beside_red_tests_is_its_verdict(tmp_path: Path) -> None:
    moot, told = said(tmp_path, "test-executor", form("Ran them", fenced(MESSAGES[0])))
    assert told.code == 0 and place(moot)[0] == "implement", told.err


@pytest.mark.ledger("R-32", "P-03")
def test_red_tests_and_then_all_of_them_green_are_asked_back(tmp_path: Path) -> None:
    green = {**PASSED, "total": 10, "passed": 10, "failed": 0}
    _, told = said(tmp_path, "test-executor", f"{fenced(MESSAGES[0])}\nThen again:\n\n{fenced(green)}")
    assert told.code == 2 and "which holds now?" in told.err, told.err


@pytest.mark.ledger("P-07", "P-09", "R-22")
@pytest.mark.parametrize(
    ("point", "where"),
    [
        ("Critical (fixed): SQL injection in services/user.go:123", ("review", "waiting")),
        ("Critical, already fixed: SQL injection in services/user.go:123", ("review", "waiting")),
        ("Critical (not fixed): SQL injection in services/user.go:123", ("implement", ASKED)),
        ("Critical: SQL injection in services/user.go:123", ("implement", ASKED)),
    ],
)
def test_a_critical_issue_that_was_fixed_asks_nobody(tmp_path: Path, point: str, where: tuple[str, str]) -> None:
    moot, told = said(tmp_path, "implementer", form("Built it", f"## Issues Found\n- {point}"))
    assert told.code == 0, told.err
    assert place(moot) == where
    (found,) = moot("show", "1")["runs"][-1]["report"]["findings"]
    assert bool(found.get("fixed")) == (where[0] == "review") and "SQL injection" in found["issue"]
    assert ("not fixed" in found["issue"]) == ("not fixed" in point)


@pytest.mark.ledger("R-32", "P-03", "P-09")
@pytest.mark.parametrize("given", MESSAGES, ids=lambda given: given["type"])
def test_such_a_report_as_last_word_goes_again_with_all_that_it_said(tmp_path: Path, given: View) -> None:
    moot = board(tmp_path, "implementer")
    moot.try_in(moot("claim", "implementer"), form(f"Dealt with this:\n\n{fenced(given)}"), "--final")
    shown = moot("show", "1")
    assert (shown["runs"][-1]["outcome"], shown["runs"][-1]["cause"]) == ("failed", "protocol")
    assert place(moot) == ("implement", "ready") and shown["findings"] == [] and shown["questions"] == []
    brief = moot("claim", "implementer")["brief"]
    assert "it says done, and a message in it says" in brief["told"]
    assert "Dealt with this" in json.dumps(brief["previous"]) and "done" in json.dumps(brief["previous"])
