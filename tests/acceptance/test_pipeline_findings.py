"""What a checker finds keeps its meaning, however it is told: under another type's name, in tables, in messages."""

import json
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


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    ("column", "agent"), [("review", "reviewer"), ("review", "devils-advocate"), ("test", "test-executor")]
)
@pytest.mark.parametrize("severity", ["High", "Medium", "Low"])
def test_needs_follow_up_beside_an_issue_reaches_the_implementer(
    tmp_path: Path, column: str, agent: str, severity: str
) -> None:
    moot = board(tmp_path, column)
    moot.speak(agent, form(f"- {severity}: Missing error handling in handlers/feature.go:42", complete=False))
    for other in {"reviewer", "devils-advocate"} - {agent} if column == "review" else ():
        moot.speak(other, {"outcome": "done"})
    assert place(moot) == ("implement", "ready")
    (told,) = moot("claim", "implementer")["brief"]["findings"]
    assert (told["severity"], told["file"], told["line"]) == (severity.lower(), "handlers/feature.go", 42)


@pytest.mark.ledger("P-09", "R-22")
def test_a_look_beside_a_medium_issue_that_is_not_over_goes_on_and_the_issue_stays(tmp_path: Path) -> None:
    moot = board(tmp_path)
    half = form("- Medium: Missing error handling in handlers/feature.go:42", complete=False)
    moot.speak("reviewer", half.replace("Recommended actions", "review the remaining two files"))
    assert place(moot) == ("review", "waiting"), "a fresh run goes on with the look"
    moot.speak("reviewer", APPROVED)
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": []})
    assert place(moot) == ("test", "ready")
    assert [one["severity"] for one in moot("claim", "test-executor")["brief"]["remarks"]] == ["medium"]


@pytest.mark.ledger("P-07")
@pytest.mark.parametrize(
    "said",
    [
        form("- Critical: login is open in handlers/feature.go:42"),
        {"type": "test_failures", "failures": [{**FAILURES["failures"][0], "severity": "critical"}]},
    ],
)
def test_a_critical_issue_in_the_test_phase_is_the_users_decision(tmp_path: Path, said: str | View) -> None:
    moot = board(tmp_path, "test")
    moot.speak("test-executor", said)
    assert place(moot) == ("test", ASKED)
    (question,) = moot("inbox")["questions"]
    assert [one["option"] for one in question["options"]] == ["fix it", "accept the risk and go on", "abort"]
    moot("answer", question["id"], "fix it")
    assert place(moot) == ("implement", "ready")


@pytest.mark.ledger("P-02", "R-13")
def test_a_review_assigned_alone_that_requests_changes_is_fixed_and_looked_at_again(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "pipeline")
    assignment = {
        "type": "task_assignment",
        "task_id": "review-feature",
        "description": "Review feature X",
        "files": ["handlers/feature.go"],
    }
    moot("send", "-", "--as", "dispatcher", "--to", "reviewer", stdin=json.dumps(assignment))
    moot.speak("reviewer", REVIEW)
    assert place(moot) == ("implement", "ready")
    claim = moot("claim", "implementer")
    assert [one["issue"] for one in claim["brief"]["findings"]] == ["Missing error handling"]
    moot.report(claim, "done", summary="handled")
    assert place(moot) == ("review", "waiting")


@pytest.mark.ledger("R-22", "R-26", "P-01")
@pytest.mark.parametrize("to", ["dispatcher", "implementer"])
@pytest.mark.parametrize(
    ("column", "agent", "message"), [("review", "devils-advocate", SECURITY), ("test", "test-executor", FAILURES)]
)
def test_findings_sent_without_a_run_are_not_lost_by_a_plain_done(
    tmp_path: Path, column: str, agent: str, message: View, to: str
) -> None:
    moot = board(tmp_path, column)
    moot("send", "-", "--as", agent, "--to", to, stdin=json.dumps(message))
    moot.speak(agent, {"outcome": "done", "summary": "findings sent"})
    if column == "review":
        assert place(moot) == ("review", ASKED), "the vulnerability is critical"
        moot("answer", moot("inbox")["questions"][0]["id"], "fix it")
        moot.speak("reviewer", APPROVED)
    assert place(moot) == ("implement", "ready")
    assert moot("claim", "implementer")["brief"]["findings"][0]["severity"] in ("critical", "medium")


@pytest.mark.ledger("P-05", "R-14")
def test_two_problems_at_one_line_are_two_and_the_same_one_found_by_both_is_one(tmp_path: Path) -> None:
    moot = board(tmp_path)
    first = REVIEW["findings"][0]
    second = {**first, "issue": "Wrong return type", "recommendation": "Return int64"}
    hole = {**VULNERABILITY, "severity": "high"}
    also = {"severity": "medium", "file": "services/user.go", "line": 123, "issue": "SQL injection"}
    moot.speak("reviewer", {**REVIEW, "findings": [first, second, {**also, "recommendation": "Escape the input"}]})
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": [hole]})
    told = moot("claim", "implementer")["brief"]["findings"]
    assert [(one["issue"], one["recommendation"]) for one in told[:2]] == [
        ("Missing error handling", "Add error check before proceeding"),
        ("Wrong return type", "Return int64"),
    ]
    (both,) = told[2:]
    assert (both["kind"], both["severity"]) == ("security", "high")
    assert both["found_by"] == ["reviewer", "devils-advocate"]
    assert both["recommendation"] == "Escape the input\nUse parameterized queries"


@pytest.mark.ledger("P-05", "R-26")
def test_two_failures_at_one_place_that_were_sent_are_both_told(tmp_path: Path) -> None:
    moot = board(tmp_path, "test")
    one = FAILURES["failures"][0]
    two = {**one, "test": "TestOther", "error": "timeout", "likely_fix": "Wait for it"}
    claim = moot("claim", "test-executor")
    said = moot.say(
        *("send", "-", "--to", "dispatcher", "--run", claim["run"], "--token", str(claim["token"])),
        stdin=json.dumps({"type": "test_failures", "failures": [one, two]}),
    )
    assert said.code == 0, said.err
    moot.report(claim, "done", summary="sent")
    told = moot("claim", "implementer")["brief"]["findings"]
    assert [(f["test"], f["issue"]) for f in told] == [(f["test"], f["error"]) for f in (one, two)]


@pytest.mark.ledger("R-12", "R-13")
def test_a_disputed_finding_that_is_only_asked_for_again_ends_before_a_person(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("reviewer", REVIEW)
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": []})
    concern = {"artifact": "handlers/feature.go", "target": "42", "content": "The middleware handles every error."}
    moot.speak("implementer", {"outcome": "disputed", "comments": [concern]})
    moot.speak("reviewer", REVIEW)
    assert place(moot) == ("implement", "ready")
    again = {"parent": "c001", "content": "I tried it: a wrong id gives 404."}
    moot.speak("implementer", {"outcome": "disputed", "comments": [again]})
    assert moot("show", "1")["dispute_rounds"] == 1
    moot.speak("reviewer", REVIEW)
    assert place(moot) == ("review", ASKED)
    told = moot("inbox")["questions"][0]["context"]
    assert concern["content"] in told and again["content"] in told


@pytest.mark.ledger("R-12")
def test_who_disputed_gives_in_to_the_verdict_and_nothing_stays_open(tmp_path: Path) -> None:
    moot = board(tmp_path, "test")
    moot.speak("test-executor", FAILURES)
    moot.speak("implementer", {"outcome": "disputed", "comments": [{"content": "The specification says 500 here."}]})
    moot.speak("test-executor", FAILURES)
    settled = {"parent": "c001", "content": "I was wrong.", "resolution": "rejected"}
    moot.speak("implementer", {"outcome": "done", "summary": "The error is handled.", "comments": [settled]})
    passed = {"type": "test_results", "status": "passed", "summary": {"total": 10, "passed": 10, "failed": 0}}
    moot.speak("test-executor", passed)
    assert place(moot) == ("done", "done")


@pytest.mark.ledger("R-14", "R-22", "R-32")
def test_a_reviewer_that_was_answered_says_what_became_of_its_finding(tmp_path: Path) -> None:
    moot = board(tmp_path)
    asked = {"type": "clarification_request", "from": "reviewer", "question": "Is line 42 meant so?"}
    moot.speak("reviewer", json.dumps([REVIEW, asked]))
    moot.speak("devils-advocate", {**SECURITY, "vulnerabilities": []})
    moot("answer", "q1", "yes, it is meant so")
    claim = moot("claim", "reviewer")
    said = moot.try_in(claim, APPROVED)
    assert (said.code, said.error) == (2, "report_refused") and "Missing error handling" in said.err
    settled = {**REVIEW["findings"][0], "status": "fixed", "why": "it is meant so"}
    assert moot.try_in(claim, {**APPROVED, "findings": [settled]}).code == 0
    assert place(moot) == ("test", "ready")


@pytest.mark.ledger("R-22", "R-26", "R-32")
@pytest.mark.parametrize(
    ("column", "agent", "message", "back", "verdict"),
    [
        ("review", "reviewer", REVIEW, "review_findings", APPROVED),
        ("test", "test-executor", FAILURES, "test_results", {"type": "test_results", "status": "passed"}),
    ],
)
def test_who_has_sent_problems_is_told_a_message_of_this_flow_that_takes_them_back(
    tmp_path: Path, column: str, agent: str, message: View, back: str, verdict: View
) -> None:
    moot = board(tmp_path, column)
    claim = moot("claim", agent)
    own: View = {"run_id": claim["run"], "token": claim["token"]}
    payload = {name: value for name, value in message.items() if name != "type"}
    sent = {"from": agent, "to": "implementer", "type": message["type"], "payload": payload}
    assert moot.say("send", "-", stdin=json.dumps(sent), **own).code == 0
    told = moot.try_in(claim, verdict).err
    word = "passed" if back == "test_results" else "approved"
    assert f"first send a {back} whose payload.status is {word}" in told
    sent |= {"type": back, "payload": {"status": word}}
    assert moot.say("send", "-", stdin=json.dumps(sent), **own).code == 0
    assert moot.try_in(claim, verdict).code == 0
