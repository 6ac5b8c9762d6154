"""The same thing said under another name: a second verdict, what is left, an attack that came through, tests by suite,
an error that is fatal. Each keeps its meaning, or whoever says it is asked which of the two holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, Said, new_board

View = dict[str, Any]
ASKED = "awaiting-divine-guidance"
APPROVED: View = {"status": "approved", "summary": "I looked at it."}
COMPLETED: View = {"status": "completed", "summary": "Login is there."}
FAILED: View = {"status": "failed", "summary": "there is no repository"}
PASSED: View = {"type": "test_results", "status": "passed"}
SECURE: View = {"type": "security_issues", "source": "devil's-advocate", "vulnerabilities": []}
ESCALATION: View = {"reason": "spec_ambiguity", "details": "Cannot determine auth method", "options": ["JWT", "OAuth"]}


def tried(folder: Path, preset: str, agent: str, column: str, said: View | str) -> tuple[Moot, Said]:
    moot = new_board(folder, preset)
    moot("add", "User auth", "--column", column)
    return moot, moot.try_in(moot("claim", agent), said)


def form(status: str, *sections: str) -> str:
    return "\n\n".join(["## Summary\nBuilt it.", *sections, f"## Status\n{status}"]) + "\n"


def complete(*sections: str) -> str:
    return form("- [x] Complete / [ ] Needs follow-up / [ ] Blocked", *sections)


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize(
    "beside",
    [
        {"verdict": "needs work"},
        {"verdict": "not acceptable"},
        {"decision": "send back"},
        {"verdict": "unsafe"},
        {"rereview_needed": True},
        {"safe": False},
        {"next": "fixer"},
        {"next_agent": "FIXER"},
        {"handoff_to": "fixer"},
        {"unresolved": ["the session never ends"]},
        {"unresolved": 1},
        {"open": 1},
        {"remaining": "1"},
        {"regressions": ["login is broken"]},
        {"regressions": 1},
        {"todo": ["fix the login"]},
        {"action_items": ["Fix the login"]},
        {"issues_fixed": "1 of 2"},
        {"resolved": "1/2"},
        {"criteria_met": "2/3"},
    ],
    ids=str,
)
def test_an_approval_beside_its_opposite_under_another_name_is_asked_back(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", {**APPROVED, **beside})
    assert (told.code, "which holds?" in told.err) == (2, True), told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "beside",
    [
        {"verdict": "needs no changes"},
        {"verdict": "no issues found"},
        {"verdict": "looks good to me"},
        {"verdict": "unconditionally approved"},
        {"decision": "merge"},
        {"rereview_needed": False, "safe": True},
        {"next": "none"},
        {"next": "deploy"},
        {"unresolved": [], "open": 0, "remaining": "none", "regressions": "none"},
        {"todo": ["- [x] look at the login"]},
        {"action_items": ["Consider another name later"]},
        {"issues_fixed": "2 of 2", "resolved": "2/2"},
        {"score": "8/10"},
        {"pull_request": {"state": "open"}},
    ],
    ids=str,
)
def test_an_approval_beside_what_agrees_under_another_name_holds(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "reviewer", "review", {**APPROVED, **beside})
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("R-22", "P-03")
@pytest.mark.parametrize(
    "beside",
    [
        {"verdict": "vulnerable"},
        {"attacks": [{"name": "sql injection", "result": "succeeded"}, {"name": "xss", "result": "blocked"}]},
        {"attempts": [{"attack": "sql injection", "success": True}]},
        {"attack_results": {"sql injection": "bypassed the login", "xss": "blocked"}},
        {"stress_test": {"1000 requests a second": "crashed"}},
        {"exploited": True},
        {"exploitable": "yes"},
    ],
    ids=str,
)
def test_an_attack_that_came_through_beside_an_empty_list_is_asked_back(tmp_path: Path, beside: View) -> None:
    _, told = tried(tmp_path, "pipeline", "devils-advocate", "review", {**SECURE, **beside})
    assert (told.code, "which holds?" in told.err) == (2, True), told.err


@pytest.mark.ledger("R-22", "P-03")
@pytest.mark.parametrize(
    "beside",
    [
        {"attacks": [{"name": "sql injection", "result": "failed"}, {"name": "xss", "success": False}]},
        {"attack_results": {"sql injection": "blocked", "xss": "rejected with 400"}},
        {"stress_test": {"1000 requests a second": "held"}, "exploited": False},
        {"attacks_tried": ["sql injection", "session fixation"]},
    ],
    ids=str,
)
def test_attacks_that_were_beaten_off_are_no_holes(tmp_path: Path, beside: View) -> None:
    _, told = tried(tmp_path, "pipeline", "devils-advocate", "review", {**SECURE, **beside})
    assert told.code == 0, told.err


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize(
    "beside",
    [
        {"suites": [{"name": "unit", "total": 5, "passed": 5}, {"name": "api", "total": 5, "passed": 3, "failed": 2}]},
        {"results": [{"suite": "unit", "passed": 5, "failed": 0}, {"suite": "api", "passed": 3, "failed": 2}]},
        {"summary": {"unit": "5/5", "integration": "3/5"}},
        {"summary": {"unit": "all passed", "integration": "3 of 5 passed"}},
        {"summary": {"total": 10, "passed": 9, "failed": 0, "timed_out": 1}},
        {"summary": {"total": 10, "passed": 8, "failed": 0, "crashed": 1, "aborted": 1}},
    ],
    ids=str,
)
def test_tests_that_did_not_pass_go_back_however_they_are_counted(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "pipeline", "test-executor", "test", {**PASSED, **beside})
    assert told.code == 0, told.err
    assert (moot("show", "1")["column"], told.json["runs"][-1]["outcome"]) == ("implement", "changes_requested")


@pytest.mark.ledger("R-22", "P-06")
def test_passed_beside_a_share_that_is_not_all_is_asked_back(tmp_path: Path) -> None:
    _, told = tried(tmp_path, "pipeline", "test-executor", "test", {**PASSED, "tests": "8/10"})
    assert told.code == 2 and "its tests says '8/10'" in told.err, told.err


@pytest.mark.ledger("R-22", "P-06")
@pytest.mark.parametrize(
    "beside",
    [
        {"suites": [{"name": "unit", "total": 5, "passed": 5}, {"name": "api", "total": 5, "passed": 5, "failed": 0}]},
        {"summary": {"unit": "5/5", "integration": "5/5"}},
        {"tests": "10/10"},
        {"summary": {"total": 10, "passed": 10, "failed": 0, "timed_out": 0, "timeout": 30}},
        {"summary": {"total": 10, "passed": 10, "failed": 0, "date": "3/5"}},
    ],
    ids=str,
)
def test_green_tests_are_green_however_they_are_counted(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "pipeline", "test-executor", "test", {**PASSED, **beside})
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == "done"


@pytest.mark.ledger("R-22", "R-26", "P-06")
@pytest.mark.parametrize(
    "message",
    [
        {"type": "test_failures", "failures": 2},
        {"type": "test_failures", "failures": "two"},
        {"type": "test_results", "status": "passed", "suites": [{"name": "api", "passed": 3, "failed": 2}]},
    ],
    ids=str,
)
def test_failures_that_were_only_counted_in_a_message_go_back(tmp_path: Path, message: View) -> None:
    moot = new_board(tmp_path, "pipeline")
    moot("add", "User auth", "--column", "test")
    claim = moot("claim", "test-executor")
    run = ("--run", claim["run"], "--token", str(claim["token"]))
    assert moot.say("send", "-", *run, stdin=json.dumps({**message, "to": "dispatcher"})).code == 0
    told = moot.try_in(claim, {"outcome": "done", "summary": "I ran them."})
    assert told.code == 0 and told.json["runs"][-1]["outcome"] == "changes_requested", told.out
    assert moot("show", "1")["column"] == "implement"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("told", [{"count": 3}, {"issue_count": "three"}, {"total_issues": 3}], ids=str)
@pytest.mark.parametrize("listed", ["issues", "findings"])
def test_more_problems_counted_than_told_are_asked_back(tmp_path: Path, listed: str, told: View) -> None:
    said = {"status": "needs_fixes", listed: ["a is open", "b is open"], **told}
    moot, heard = tried(tmp_path, "handoff", "reviewer", "review", said)
    assert heard.code == 2 and "it says 3 issues, and tells 2" in heard.err, heard.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22", "P-03")
def test_so_they_are_where_two_agents_look(tmp_path: Path) -> None:
    found = {"severity": "high", "file": "a.go", "line": 3, "issue": "the session never ends"}
    said = {"type": "review_findings", "status": "changes_requested", "findings": [found], "total_findings": 3}
    _, heard = tried(tmp_path, "pipeline", "reviewer", "review", said)
    assert heard.code == 2 and "it says 3 issues, and tells 1" in heard.err, heard.err


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("told", [{"count": 2}, {"count": 1}, {"files_count": 7}, {"fixed_issues": 3}], ids=str)
def test_a_count_that_fits_what_is_told_is_no_contradiction(tmp_path: Path, told: View) -> None:
    said = {"status": "needs_fixes", "issues": ["a is open", "b is open"], **told}
    moot, heard = tried(tmp_path, "handoff", "reviewer", "review", said)
    assert heard.code == 0 and moot("show", "1")["column"] == "fix", heard.err


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "beside",
    [
        {"todo": ["write the error section"]},
        {"not_implemented": ["password reset"]},
        {"completed_items": ["login"], "remaining_items": ["password reset"]},
        {"left_out": ["password reset"]},
        {"skipped_criteria": ["AC2"]},
        {"missing_requirements": ["password reset"]},
        {"unimplemented": "password reset"},
        {"unresolved": ["the session never ends"]},
        {"ready_for_review": False},
        {"progress": "80%"},
        {"completion": 0.8},
        {"percent_complete": 80},
        {"tests": "8/10"},
    ],
    ids=str,
)
def test_completed_beside_what_is_left_under_another_name_is_asked_back(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "builder", "build", {**COMPLETED, **beside})
    assert (told.code, "which holds?" in told.err) == (2, True), told.err
    assert moot("show", "1")["column"] == "build"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "beside",
    [
        {"todo": [], "unresolved": "none", "not_implemented": "n/a"},
        {"todo": ["[x] password reset", "[x] login"]},
        {"ready_for_review": True, "progress": "100%", "completion": 1.0, "percent_complete": 100},
        {"progress": "the login, then the reset"},
        {"coverage": "80%", "completion": "abc123"},
        {"tests": "10/10"},
    ],
    ids=str,
)
def test_completed_beside_nothing_left_under_another_name_holds(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "builder", "build", {**COMPLETED, **beside})
    assert told.code == 0, told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-32", "P-09")
@pytest.mark.parametrize(
    "section",
    [
        "## TODO\n- pagination",
        "## Tests\n- not run",
        "## Tests\n- Local test fails: go test ./...",
        "## Tests\n- go vet passes\n- go test ./...: could not be run here",
    ],
)
def test_a_form_that_is_complete_beside_a_section_that_denies_it_is_asked_back(tmp_path: Path, section: str) -> None:
    moot, told = tried(tmp_path, "pipeline", "implementer", "implement", complete(section))
    assert (told.code, "which holds?" in told.err) == (2, True), told.err
    assert moot("show", "1")["column"] == "implement"


@pytest.mark.ledger("R-32", "P-09")
@pytest.mark.parametrize(
    "section",
    [
        "## TODO\nNone",
        "## TODO\n- [x] pagination",
        "## Tests\n- Local test passes: go test ./...",
        "## Tests\n- TestLogin fails without the fix, and passes with it",
        "## Tests\n- Added a test that the login fails on a wrong password",
        "## Tests\n- go test ./... failed before the fix; all pass now",
    ],
)
def test_a_form_that_is_complete_beside_sections_that_agree_holds(tmp_path: Path, section: str) -> None:
    moot, told = tried(tmp_path, "pipeline", "implementer", "implement", complete(section))
    assert told.code == 0, told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-32", "P-09")
@pytest.mark.parametrize("status", ["- Blocked: no", "Blocked: none", "- Needs follow-up: no", "Failed: 0"])
def test_a_status_that_is_denied_on_its_line_is_not_said(tmp_path: Path, status: str) -> None:
    moot, told = tried(tmp_path, "pipeline", "implementer", "implement", form(status))
    assert told.code == 2 and "Status:" in told.err, told.err
    assert moot("show", "1")["status"] == "running"


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    "status", ["- Complete\n- Blocked: no", "- Complete: yes\n- Needs follow-up: no\n- Blocked: no"]
)
def test_beside_complete_a_denied_box_leaves_it_standing(tmp_path: Path, status: str) -> None:
    moot, told = tried(tmp_path, "pipeline", "implementer", "implement", form(status))
    assert told.code == 0, told.err
    assert moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-32")
def test_blocked_by_something_that_is_not_there_is_blocked(tmp_path: Path) -> None:
    moot, told = tried(tmp_path, "pipeline", "implementer", "implement", form("Blocked: no database here"))
    assert told.code == 0, told.err
    assert moot("show", "1")["status"] == ASKED


@pytest.mark.ledger("R-22", "P-09")
@pytest.mark.parametrize("line", ["~~High: a.go:3 the session never ends~~", "- ~~High: the session never ends~~"])
def test_an_issue_that_is_struck_through_is_withdrawn(tmp_path: Path, line: str) -> None:
    _, told = tried(tmp_path, "pipeline", "reviewer", "review", complete(f"## Issues Found\n{line}"))
    assert told.code == 0, told.err
    assert told.json["runs"][-1]["outcome"] == "done"


@pytest.mark.ledger("R-22", "P-09")
def test_of_a_list_with_boxes_what_is_ticked_is_mended_and_the_rest_is_open(tmp_path: Path) -> None:
    boxes = "## Issues Found\n- [x] High: a.go:3 the session never ends\n- [ ] High: b.go:4 names differ"
    _, told = tried(tmp_path, "pipeline", "reviewer", "review", complete(boxes))
    assert told.code == 0, told.err
    found = told.json["runs"][-1]["report"]["findings"]
    assert [one["fixed"] is not None for one in found] == [True, False]
    assert told.json["runs"][-1]["outcome"] == "changes_requested"


HOLE: View = {"severity": "critical", "type": "sql_injection", "location": "user.go:123", "exploit": "' OR 1=1"}


@pytest.mark.ledger("R-22", "P-03")
@pytest.mark.parametrize(
    "beside", [{"mitigated": True}, {"status": "false positive"}, {"status": "withdrawn"}, {"status": "fixed"}], ids=str
)
def test_a_hole_that_its_finder_says_is_none_any_more_asks_nobody(tmp_path: Path, beside: View) -> None:
    said = {**SECURE, "vulnerabilities": [{**HOLE, **beside}]}
    _, told = tried(tmp_path, "pipeline", "devils-advocate", "review", said)
    assert told.code == 0 and told.json["runs"][-1]["outcome"] == "done", told.err or told.out
    assert told.json["runs"][-1]["report"]["findings"][0]["fixed"]


@pytest.mark.ledger("R-10", "P-07")
@pytest.mark.parametrize(
    "beside", [{"mitigated": False}, {"status": "not a false positive"}, {"status": "partially mitigated"}], ids=str
)
def test_a_hole_that_is_still_there_asks_a_person(tmp_path: Path, beside: View) -> None:
    said = {**SECURE, "vulnerabilities": [{**HOLE, **beside}]}
    moot, told = tried(tmp_path, "pipeline", "devils-advocate", "review", said)
    assert told.code == 0 and told.json["runs"][-1]["outcome"] == "changes_requested", told.err or told.out
    assert moot("show", "1")["questions"]


@pytest.mark.ledger("R-07", "H-08")
@pytest.mark.parametrize(
    "beside",
    [
        {"recoverable": False},
        {"retryable": "no"},
        {"fatal": True},
        {"unrecoverable": "yes"},
        {"error": "NonRecoverableError: no repository"},
        {"error": "UnrecoverableError"},
        {"error": {"type": "DatabaseError", "recoverable": False}},
        {"error_type": "FatalError", "message": "the disk is full"},
        {"errorClass": "FatalError"},
        {"exception": "FatalError: the disk is full"},
        {"exception": {"class": "FatalError", "message": "the disk is full"}},
        {"severity": "fatal"},
    ],
    ids=str,
)
def test_an_error_that_nobody_can_recover_from_asks_a_person(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "builder", "build", {**FAILED, **beside})
    assert told.code == 0, told.err
    assert (moot("show", "1")["status"], told.json["runs"][-1]["cause"]) == (ASKED, "fatal")


@pytest.mark.ledger("R-07", "H-08")
@pytest.mark.parametrize(
    "beside",
    [
        {"recoverable": True},
        {"retryable": "yes"},
        {"fatal": False, "transient": True},
        {"error_type": "RecoverableError", "error": "connection reset"},
        {"error_kind": "recoverable", "error": "connection reset"},
    ],
    ids=str,
)
def test_an_error_that_is_recoverable_is_tried_again_and_not_counted(tmp_path: Path, beside: View) -> None:
    moot, told = tried(tmp_path, "handoff", "builder", "build", {**FAILED, **beside})
    assert told.code == 0, told.err
    assert (told.json["runs"][-1]["cause"], moot("show", "1")["failure_count"]) == ("transient", 0)


PRINTED = 'Traceback (most recent call last):\n  File "fetch.py", line 1\n{}\n\n{{status: failed}}'


@pytest.mark.ledger("H-08")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (PRINTED.format("RecoverableError: connection reset"), "transient"),
        (PRINTED.format("net.errors.FatalError: no such host"), "fatal"),
        ({"status": "failed", "error_type": "RecoverableError", "attempt": 3, "max_retries": 3}, "transient"),
        ({"status": "failed", "error": {"type": "RecoverableError"}, "attempt": 3, "max_retries": 3}, "transient"),
        ({**FAILED, "summary": "A retry ended in\nno FatalError: it was slow"}, None),
    ],
    ids=str,
)
def test_the_kind_of_an_error_is_known_where_it_was_printed(
    tmp_path: Path, said: str | View, cause: str | None
) -> None:
    moot, told = tried(tmp_path, "handoff", "builder", "build", said)
    assert told.code == 0, told.err
    assert moot("show", "1")["runs"][-1]["cause"] == cause


@pytest.mark.ledger("R-32", "H-08")
def test_an_error_that_is_both_is_asked_back(tmp_path: Path) -> None:
    said = {**FAILED, "error": "RecoverableError: connection reset", "recoverable": False}
    _, told = tried(tmp_path, "handoff", "builder", "build", said)
    assert told.code == 2 and "recoverable" in told.err, told.err


@pytest.mark.ledger("H-09")
@pytest.mark.parametrize("beside", [{"is_blocking": False}, {"non_blocking": True}, {"blocking": "no"}], ids=str)
@pytest.mark.parametrize("sent", [True, False])
def test_an_escalation_that_blocks_nothing_blocks_nothing(tmp_path: Path, beside: View, sent: bool) -> None:
    message = {"type": "escalation", "from": "builder", "to": "orchestrator", "payload": {**ESCALATION, **beside}}
    moot = new_board(tmp_path, "handoff")
    moot("add", "User auth", "--column", "build")
    claim = moot("claim", "builder")
    if sent:
        run = ("--run", claim["run"], "--token", str(claim["token"]))
        assert (told := moot.say("send", "-", *run, stdin=json.dumps(message))).code == 0, told.err
        assert moot.try_in(claim, COMPLETED).code == 0
    else:
        assert (told := moot.try_in(claim, message)).code == 0, told.err
    view = moot("show", "1")
    assert (view["status"], len(view["questions"])) == ("ready", 1)


@pytest.mark.ledger("H-09")
def test_what_an_escalation_says_beside_its_question_is_before_the_person(tmp_path: Path) -> None:
    payload = {**ESCALATION, "recommended": "JWT", "impact": "login waits for it"}
    message = {"type": "escalation", "from": "builder", "to": "orchestrator", "payload": payload}
    moot = new_board(tmp_path, "handoff")
    moot("add", "User auth", "--column", "build")
    claim = moot("claim", "builder")
    run = ("--run", claim["run"], "--token", str(claim["token"]))
    assert moot.say("send", "-", *run, stdin=json.dumps(message)).code == 0
    context = moot("show", "1")["questions"][0]["context"]
    assert "recommended: JWT" in context and "impact: login waits for it" in context


@pytest.mark.ledger("H-01")
@pytest.mark.parametrize("word", ["null", "None", "none", "n/a"])
def test_a_spec_that_is_none_is_no_path(tmp_path: Path, word: str) -> None:
    moot, told = tried(tmp_path, "handoff", "planner", "plan", f"- Returns: {{status: completed, spec: {word}}}\n")
    assert told.code == 0, told.err
    assert moot("show", "1")["spec"] is None
