"""The pipeline document's words, as agents write them: whatever a response says reaches whom it is for, or is asked
back. Each text is told through the command line, and looked for where it has to be."""

import json
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.vocabulary.phrases.tallies import told_tests
from folkmoot.wiring.boards import FileBoards
from tests import stores
from tests.doors.conftest import Answer, Moot

View = dict[str, Any]
COMPLETE = "- [x] Complete / [ ] Needs follow-up / [ ] Blocked"
FOLLOW_UP = "- [ ] Complete / [x] Needs follow-up / [ ] Blocked"
BLOCKED = "- [ ] Complete / [ ] Needs follow-up / [x] Blocked"
APPROVED = {"type": "review_findings", "reviewer": "reviewer", "status": "approved", "findings": [], "approval": True}
ASKED = "awaiting-divine-guidance"


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipeline")
    with stores.kept():
        FileBoards().create(str(folder), "pipeline").close()
    return folder


@pytest.fixture
def board(nowhere: Moot, pipeline: Path) -> Moot:
    stores.copy(pipeline / ".moot", nowhere.folder / ".moot")
    return nowhere


def in_column(moot: Moot, column: str) -> Moot:
    moot("add", "Feature X", "--column", column)
    return moot


def said(moot: Moot, agent: str, text: str | View) -> Answer:
    claim = moot.json("claim", agent)
    words = text if isinstance(text, str) else json.dumps(text)
    return moot("report", claim["run"], "--token", str(claim["token"]), "-", code=None, stdin=words)


def form(summary: str, *sections: str, status: str = COMPLETE) -> str:
    return "\n\n".join([f"## Summary\n{summary}", *sections, f"## Status\n{status}"]) + "\n"


def place(moot: Moot, item: str = "1") -> tuple[str, str]:
    view = moot.json("show", item)
    return view["column"], view["status"]


def done(moot: Moot, agent: str) -> None:
    assert said(moot, agent, {"outcome": "done", "summary": "looked"}).code == 0


REASONS = [
    f"{BLOCKED}\n\nNeed the API key from ops.",
    f"{BLOCKED}\nNeed the API key from ops.",
    f"{BLOCKED}\n- Need the API key from ops.",
    f"{BLOCKED}\n\n---\nNeed the API key from ops.",
    f"Need the API key from ops.\n{BLOCKED}",
    "**Blocked**\nReason: Need the API key from ops.",
    "Blocked\n\nNeed the API key from ops.",
]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("status", REASONS)
def test_the_reason_of_a_blocked_on_another_line_reaches_the_person_who_is_asked(board: Moot, status: str) -> None:
    in_column(board, "implement")
    assert said(board, "implementer", form("built", status=status)).code == 0
    assert "Need the API key from ops." in board("inbox").out
    run = board.json("show", "1")["runs"][-1]
    assert "Need the API key from ops." in run["report"]["blockers"]


@pytest.mark.ledger("R-32")
def test_what_is_missing_below_a_ticked_follow_up_is_told_to_the_next_run(board: Moot) -> None:
    in_column(board, "implement")
    status = "- [ ] Complete\n- [x] Needs follow-up\n  - the migration is missing\n- [ ] Blocked"
    assert said(board, "implementer", form("half", status=status)).code == 0
    claim = board.json("claim", "implementer")
    assert claim["brief"]["previous"]["next_steps"] == ["the migration is missing"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    ("agent", "column", "words"),
    [
        ("test-executor", "test", "3 tests failed: TestA, TestB, TestC."),
        ("implementer", "implement", "3 tests failed: TestA, TestB, TestC."),
        ("implementer", "implement", "The docs are still missing."),
    ],
)
def test_words_below_complete_that_take_it_back_are_asked_back(
    board: Moot, agent: str, column: str, words: str
) -> None:
    in_column(board, column)
    answer = said(board, agent, form("Ran", status=f"{COMPLETE}\n\n{words}"))
    assert answer.code == 2 and words[:30] in answer.err
    assert place(board) == (column, "running")


@pytest.mark.ledger("R-32")
def test_harmless_words_below_complete_are_kept(board: Moot) -> None:
    in_column(board, "implement")
    answer = said(board, "implementer", form("built", status=f"{COMPLETE}\n\nLet me know if anything is unclear."))
    assert answer.code == 0 and "Let me know if anything is unclear." in " ".join(answer.out.split())
    assert board.json("claim", "reviewer")["brief"]["previous"]["in its own words"] == {
        "Status": "Let me know if anything is unclear."
    }


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("last", [False, True])
def test_prose_around_the_form_is_kept_with_the_report(board: Moot, last: bool) -> None:
    in_column(board, "implement")
    prose, whole = "I left the old handler in place.", form("built")
    text = f"{whole}\n## A last word\n{prose}\n" if last else f"{prose}\n\n{whole}"
    answer = said(board, "implementer", text)
    assert answer.code == 0 and prose in " ".join(answer.out.split())
    assert prose in board("claim", "reviewer", "--prompt").out


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize(
    ("agent", "column", "prose"),
    [
        ("devils-advocate", "review", "SECURITY: CRITICAL sql injection in services/user.go:123"),
        ("reviewer", "review", "I found a critical auth bypass in a.go:3."),
        ("test-executor", "test", "3 of 10 tests FAILED, see below."),
    ],
)
def test_prose_that_contradicts_the_verdict_is_asked_back(board: Moot, agent: str, column: str, prose: str) -> None:
    in_column(board, column)
    answer = said(board, agent, f"{prose}\n\n{form('Looked at it')}")
    assert answer.code == 2 and prose.rstrip(".")[:20] in answer.err and "which holds?" in answer.err


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "prose",
    [
        "No critical issues were found.",
        "I checked for critical bugs; there are none.",
        "All 10 tests pass. The tests fail without the fix.",
        "TestLogin failed before, and passes now.",
    ],
)
def test_prose_that_says_that_nothing_is_wrong_lets_the_work_go_on(board: Moot, prose: str) -> None:
    in_column(board, "test")
    assert said(board, "test-executor", f"{prose}\n\n{form('Looked at it')}").code == 0
    assert place(board) == ("done", "done")


RESULTS = {"type": "test_results", "status": "passed"}
SUITES = {
    "unit": {"total": 5, "passed": 5, "failed": 0},
    "integration": {"total": 5, "passed": 3, "failed": 2},
}
RED: list[tuple[str | View, str | None]] = [
    ({**RESULTS, "total": 10, "passed": 8, "failed": 2}, "8/10 passed"),
    ({**RESULTS, "summary": SUITES}, "8/10 passed"),
    ({**RESULTS, "tests": {"passed": 8, "failed": 2}}, "8/10 passed"),
    (form("Ran", "## Issues Found\n- Medium: TestFeatureAPI failed: expected 200, got 500"), None),
    (form("Ran", "## Issues Found\n- TestFeatureAPI failed: expected 200, got 500"), None),
    (form("Ran", "## Test Results\n- Total: 10\n- Passed: 8\n- Failed: 2"), "8/10 passed"),
    (form("Ran", "## Tests\n- TestFeatureAPI: FAIL expected 200, got 500\n- TestB: PASS"), None),
    (form("Ran", "## Tests\n- ❌ TestFeatureAPI\n- ✅ TestB"), None),
    (form("Ran", "## Tests\n| Test | Result |\n|---|---|\n| TestFeatureAPI | failed |\n| TestB | passed |"), None),
    (form("Two of the ten tests fail."), "8/10 passed"),
    ({"outcome": "done", "summary": "ran", "tests": {"passed": 8, "failed": 2}}, "8/10 passed"),
    (form("Ran", "## Test Results\n2 tests failed"), "2 failed"),
]


@pytest.mark.ledger("R-22", "P-04")
@pytest.mark.parametrize(("text", "tests"), RED)
def test_a_failed_test_sends_the_work_back_however_it_is_told(board: Moot, text: str | View, tests: str | None) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", text)
    assert answer.code == 0, answer.err
    assert place(board) == ("implement", "ready")
    if tests:
        assert tests in board("show", "1").out
    else:
        found = board.json("show", "1")["findings"]
        assert [(one["kind"], one["test"], one["remark"]) for one in found] == [("test", "TestFeatureAPI", False)]


@pytest.mark.ledger("R-22", "R-32")
def test_a_failed_test_in_the_words_of_a_summary_is_asked_back(board: Moot) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", form("Ran them. FAIL: TestFeatureAPI (expected 200, got 500)"))
    assert answer.code == 2 and "FAIL: TestFeatureAPI" in answer.err


@pytest.mark.ledger("R-32")
def test_counts_that_nobody_wrote_stay_unknown(board: Moot) -> None:
    in_column(board, "test")
    said(board, "test-executor", form("2 tests failed", status=FOLLOW_UP))
    assert board.json("show", "1")["tests"] == {"total": None, "passed": None, "failed": 2}
    assert "2 failed" in board("show", "1").out


GRAVE = [
    "| # | Sev | Where | What |\n|--|--|--|--|\n| 1 | Crit | b.go:3 | data loss |",
    "- P0: b.go:3 data loss",
    "- 🔴 b.go:3 data loss",
    "- Showstopper: b.go:3 data loss",
    "- Sev 1: b.go:3 data loss",
    "- Sev: Critical, b.go:3 data loss",
]


@pytest.mark.ledger("P-07", "R-10")
@pytest.mark.parametrize("issues", GRAVE)
def test_a_severity_in_another_plain_word_is_read(board: Moot, issues: str) -> None:
    in_column(board, "review")
    assert said(board, "reviewer", form("Reviewed", f"## Issues Found\n{issues}")).code == 0
    done(board, "devils-advocate")
    assert place(board) == ("review", ASKED)


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "issues",
    [
        "- Sev 9: b.go:3 data loss",
        "- Severity: orange\n  File: b.go:3\n  Issue: data loss",
        "| Severity | Where | What |\n|--|--|--|\n| orange | b.go:3 | data loss |",
    ],
)
def test_a_severity_that_nobody_knows_is_asked_back_in_the_form_too(board: Moot, issues: str) -> None:
    in_column(board, "review")
    answer = said(board, "reviewer", form("Reviewed", f"## Issues Found\n{issues}"))
    assert answer.code == 2 and "is not one of critical, high, medium, low" in answer.err


@pytest.mark.ledger("R-32")
def test_a_vulnerability_without_a_severity_is_asked_back(board: Moot) -> None:
    in_column(board, "review")
    told = {"type": "security_issues", "source": "devil's-advocate"}
    answer = said(board, "devils-advocate", {**told, "vulnerabilities": [{"type": "rce", "location": "a.go:1"}]})
    assert answer.code == 2 and "'rce' has no severity" in answer.err


@pytest.mark.ledger("R-14", "R-32")
def test_what_reviewers_say_beside_their_findings_reaches_the_next_brief(board: Moot) -> None:
    in_column(board, "review")
    found = {"severity": "high", "file": "a.go", "line": 3, "issue": "no check", "why": "WHYX data loss"}
    told = {"type": "review_findings", "reviewer": "reviewer", "status": "changes_requested", "findings": [found]}
    said(board, "reviewer", {**told, "next_steps": ["NEXTX"], "questions": ["Is Q1X intended?"]})
    done(board, "devils-advocate")
    prompt = board("claim", "implementer", "--prompt").out
    assert [word for word in ("WHYX", "NEXTX", "Q1X") if word not in prompt] == []
    assert "WHYX" in board("show", "1").out


@pytest.mark.ledger("R-14", "R-32")
@pytest.mark.parametrize("how", [["--prompt"], []])
def test_the_words_of_an_approval_reach_the_next_brief(board: Moot, how: list[str]) -> None:
    board("add", "Feature X")
    done(board, "implementer")
    words = form("SUMA ok", "## Next Steps\n- NEXTA test with empty input", "## Notes\n- NOTEA")
    said(board, "reviewer", words)
    done(board, "devils-advocate")
    brief = board("claim", "test-executor", *how).out
    assert [word for word in ("SUMA", "NEXTA", "NOTEA") if word not in brief] == []


@pytest.mark.ledger("R-15", "R-16")
def test_a_finding_whose_risk_a_person_has_taken_is_a_remark(board: Moot) -> None:
    board("add", "Feature X")
    done(board, "implementer")
    found = {"severity": "high", "file": "a.go", "line": 4, "issue": "Missing error handling"}
    for round_ in range(3):
        told = {"type": "review_findings", "reviewer": "reviewer", "status": "changes_requested"}
        said(board, "reviewer", {**told, "findings": [found], "approval": False})
        done(board, "devils-advocate")
        if round_ < 2:
            done(board, "implementer")
    board("answer", "q1", "accept the risk and go on")
    claim = board.json("claim", "test-executor")
    assert claim["brief"]["findings"] == []
    assert [one["issue"] for one in claim["brief"]["remarks"]] == ["Missing error handling"]


@pytest.mark.ledger("R-16", "R-32")
def test_the_question_of_one_who_is_blocked_is_in_the_inbox(board: Moot) -> None:
    in_column(board, "implement")
    asked = "## Questions\n- Should lists be paginated?"
    said(board, "implementer", form("built", asked, status=BLOCKED))
    assert "Should lists be paginated?" in board("inbox").out
    assert "Should lists be paginated?" in board("inbox", "--document").out


DISPATCH = '{\n  "agent": "implementer",\n  "task": "Fix the following issues found by reviewer:\\n\\n<issues>"\n}\n'


@pytest.mark.ledger("P-06")
def test_the_documents_dispatch_is_read(board: Moot) -> None:
    view = board.json("dispatch", "implementer", "-", stdin=DISPATCH)
    assert view["title"].startswith("Fix the following issues found by reviewer")
    answer = board("dispatch", "devils-advocate", '{"agent": "implementer", "task": "Fix a.go:4"}', code=2)
    assert "two agents are named" in answer.err
    assert len(board.json("list")["items"]) == 1


@pytest.mark.ledger("R-32")
def test_plain_show_and_claim_name_the_failed_test_and_the_exploit(board: Moot) -> None:
    in_column(board, "test")
    failure = {"test": "TestFeatureAPI", "error": "expected 200, got 500"}
    said(board, "test-executor", {"type": "test_failures", "failures": [failure]})
    assert "TestFeatureAPI" in board("show", "1").out
    assert "TestFeatureAPI" in board("claim", "implementer").out
    in_column(board, "review")
    hole = {"severity": "high", "type": "sql_injection", "location": "services/user.go:123"}
    hole |= {"exploit": "Input OR 1=1 bypasses auth", "fix": "Use parameterized queries"}
    said(board, "devils-advocate", {"type": "security_issues", "source": "d", "vulnerabilities": [hole]})
    done(board, "reviewer")
    assert "bypasses auth" in board("show", "2").out
    assert "bypasses auth" in board("claim", "implementer").out


@pytest.mark.ledger("R-32")
def test_plain_show_and_claim_tell_the_last_summary_and_what_should_follow(board: Moot) -> None:
    in_column(board, "implement")
    said(board, "implementer", form("Built feature X", "## Next Steps\n- Review handlers/feature.go first"))
    for told in (board("claim", "reviewer").out, board("show", "1").out):
        assert "Built feature X" in told and "Review handlers/feature.go first" in told


@pytest.mark.ledger("R-32")
def test_lines_of_fields_below_one_bullet_are_one_finding(board: Moot) -> None:
    in_column(board, "review")
    issues = "## Issues Found\n- Severity: High\n  File: a.go:3\n  Issue: no check"
    said(board, "reviewer", form("Reviewed", issues))
    done(board, "devils-advocate")
    found = board.json("show", "1")["findings"]
    told = [(one["severity"], one["file"], one["line"], one["issue"]) for one in found]
    assert told == [("high", "a.go", 3, "no check")]


@pytest.mark.ledger("R-32")
def test_no_critical_issues_is_no_finding(board: Moot) -> None:
    in_column(board, "review")
    said(board, "reviewer", form("Reviewed", "## Issues Found\n- No critical issues\n- No high issues"))
    done(board, "devils-advocate")
    assert board.json("show", "1")["findings"] == []


@pytest.mark.ledger("R-32")
def test_a_box_whose_words_are_struck_out_is_none(board: Moot) -> None:
    in_column(board, "implement")
    status = "- [ ] ~~Complete~~ / [x] Needs follow-up / [ ] Blocked"
    assert said(board, "implementer", form("built", status=status)).code == 0
    assert board.json("show", "1")["runs"][-1]["outcome"] == "incomplete"


@pytest.mark.ledger("R-16")
def test_continue_is_known_and_asked_back_where_two_options_go_on(board: Moot) -> None:
    in_column(board, "review")
    hole = {"severity": "critical", "type": "sql_injection", "location": "a.go:1", "exploit": "e", "fix": "f"}
    said(board, "devils-advocate", {"type": "security_issues", "source": "d", "vulnerabilities": [hole]})
    answer = board("answer", "q1", "continue", code=2)
    assert "'continue' could be 1 (fix it) and 2 (accept the risk and go on)" in answer.err


FAILED_LATER = [
    {"type": "test_failures", "failures": [{"test": "TestB", "error": "got 500", "file": "tests/b_test.go:9"}]},
    {"type": "test_failures", "failures": [{"test": "TestA", "error": "got 404", "file": "tests/a_test.go:9"}]},
    form("8 of 10 passed, 2 failed.", "## Issues Found\n- High: tests/b_test.go:9: got 500", status=FOLLOW_UP),
    form("8 of 10 passed, 2 failed.", "## Issues Found\n- Medium: tests/b_test.go:9: got 500", status=COMPLETE),
]


@pytest.mark.ledger("P-06", "R-15", "R-22")
@pytest.mark.parametrize("told", FAILED_LATER)
def test_a_test_that_fails_in_a_later_round_goes_back_too(board: Moot, told: str | View) -> None:
    in_column(board, "test")
    failed = {"test": "TestA", "error": "expected 200, got 500", "file": "tests/a_test.go:42"}
    assert said(board, "test-executor", {"type": "test_failures", "failures": [failed]}).code == 0
    fixed = "## Fixed Issues\n- handlers/feature.go: Added error handling\n\n## Tests\n- Local test passes\n"
    assert said(board, "implementer", fixed).code == 0
    answer = said(board, "test-executor", told)
    assert answer.code == 0 and "Complete ✓" not in answer.out
    assert place(board) == ("implement", "ready")
    assert len(board.json("list")["items"]) == 1


NAMING = "## Issues Found\n- Low: a.go:5: naming"
WITHHELD = [
    "## Status\napproved\n\n## Findings\n- Low: a.go:5: naming\n\n## Approval\nfalse\n",
    "**Status:** approved\n\n**Findings:**\n- Low: a.go:5: naming\n\n**Approval:** false\n",
    f"## Approval\nNo\n\n{form('looked', NAMING)}",
    form("looked", f"{NAMING}\n\nApproval: false"),
    form("looked", f"{NAMING}\n- **Approved**: no, a.go:5 first"),
    form("looked\nApproval: denied"),
    form("looked", "## Approval\nNo"),
    form("looked") + "\n## Verdict\nChanges requested\n",
    form("looked") + "\n**Final verdict:** changes requested\n",
    form("looked") + "\n## Verdict\n- [ ] Approved / [x] Changes requested\n",
    form("looked") + "\n## Approval\nYes, once a.go:5 is fixed\n",
    "Verdict: changes requested\n\n" + form("looked"),
]
GIVEN = [
    "**Status:** approved\n\n**Findings:**\n- Low: a.go:5: naming\n\n**Approval:** true\n",
    form("looked", f"{NAMING}\n\nApproval: yes"),
    form("looked", NAMING) + "\n## Verdict\n- [x] Approved / [ ] Changes requested\n",
    form("looked", NAMING) + "\n## Approval\nYes, no changes requested\n",
    form("looked", NAMING) + "\n## Verdict\nA solid change. No blocking issues.\n",
]


@pytest.mark.ledger("P-03", "P-09", "R-32")
@pytest.mark.parametrize("told", WITHHELD)
def test_an_approval_that_is_withheld_under_any_heading_is_asked_back(board: Moot, told: str) -> None:
    in_column(board, "review")
    answer = said(board, "reviewer", told)
    assert answer.code == 2 and "which holds?" in answer.err


@pytest.mark.ledger("P-03", "P-09", "R-32")
@pytest.mark.parametrize("told", GIVEN)
def test_an_approval_that_is_given_is_no_finding(board: Moot, told: str) -> None:
    in_column(board, "review")
    assert said(board, "reviewer", told).code == 0
    run = board.json("show", "2")["runs"][-1]
    assert run["report"]["outcome"] == "done"
    assert [one["line"] for one in run["report"]["findings"]] == [5]


@pytest.mark.ledger("R-16", "P-03")
@pytest.mark.parametrize("agent", ["reviewer", "devils-advocate"])
def test_a_question_is_asked_by_whoever_asks_it_also_beside_others(board: Moot, agent: str) -> None:
    board("add", "Feature X")
    done(board, "implementer")
    asked = {"type": "clarification_request", "from": agent, "question": "Should it support pagination?"}
    assert f"Agent: {agent}" in said(board, agent, asked).out
    assert f"{agent} asks" in board("inbox").out
    assert f"Agent {agent} working on 1 requires guidance." in board("inbox").out
    assert f"Agent: {agent}" in board("answer", "q1", "yes").out


@pytest.mark.ledger("R-16", "P-07")
def test_a_critical_finding_names_who_found_it(board: Moot) -> None:
    board("add", "Feature X")
    done(board, "implementer")
    hole = {"severity": "critical", "type": "sql_injection", "location": "a.go:1", "exploit": "x", "fix": "y"}
    told = {"type": "security_issues", "source": "devil's-advocate", "vulnerabilities": [hole]}
    assert "Agent: devils-advocate" in said(board, "devils-advocate", told).out


@pytest.mark.ledger("P-05")
def test_what_two_recommend_about_one_place_is_told_apart(board: Moot) -> None:
    board("add", "Feature X")
    done(board, "implementer")
    found = {"severity": "medium", "file": "a.go", "line": 42, "issue": "No check", "recommendation": "Add a check"}
    told = {"type": "review_findings", "status": "changes_requested", "findings": [found], "approval": False}
    assert said(board, "reviewer", told).code == 0
    hole = {"severity": "medium", "type": "no check", "location": "a.go:42", "exploit": "nil", "fix": "Return early"}
    assert said(board, "devils-advocate", {"type": "security_issues", "vulnerabilities": [hole]}).code == 0
    assert "Add a check; Return early" in board("show", "1").out


IN_WORDS = [
    "- One critical issue: SQL injection in user.go",
    "- No critical issues. One high severity issue: sessions never expire (session.go:9).",
    "There is a severe flaw in session.go: sessions never expire.",
]


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("told", IN_WORDS)
@pytest.mark.parametrize("agent", ["reviewer", "devils-advocate"])
def test_a_weight_in_the_words_of_an_issue_is_asked_back(board: Moot, agent: str, told: str) -> None:
    in_column(board, "review")
    answer = said(board, agent, form("Looked at it.", f"## Issues Found\n{told}"))
    assert answer.code == 2 and "which holds" in answer.err, answer.err


@pytest.mark.ledger("R-22")
def test_so_it_is_where_the_work_is_made(board: Moot) -> None:
    board("add", "Feature X")
    answer = said(board, "implementer", form("Built it.", "## Issues Found\n- One critical issue: the old login leaks"))
    assert answer.code == 2 and "severity" in answer.err, answer.err


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "told",
    ["- Medium: a critical bug was near, see a.go:4", "- No critical issues", "- Low: naming", "- a.go:4: naming"],
)
def test_a_weight_that_is_told_or_denied_is_believed(board: Moot, told: str) -> None:
    in_column(board, "review")
    assert said(board, "reviewer", form("Looked at it.", f"## Issues Found\n{told}")).code == 0
    assert board.json("show", "2")["runs"][-1]["outcome"] == "done"


RED_WORDS = [
    form("Ran the tests.", "## Issues Found\n- TestX: expected 200, got 500"),
    form("Ran the tests.", "## Issues Found\n- Medium: tests/x_test.go:42: TestX expected 200, got 500"),
    form("Ran the tests.", "## Issues Found\n- tests/x_test.go:42: expected 200 but got 500"),
    form("Ran the tests.", "## Issues Found\n- Medium: two tests fail on CI"),
    form("TestX is red: expected 200, got 500."),
    form("The tests could not be run: no docker."),
]


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("told", RED_WORDS)
def test_a_red_test_in_words_does_not_pass(board: Moot, told: str) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", told)
    assert answer.code == 2 and "which holds" in answer.err, (answer.err, place(board))


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "told",
    [
        form("10/10 passed.", "## Issues Found\n- Low: TestX expected 200, got 500 on an old kernel"),
        form("10/10 passed. Before the fix TestX expected 200, got 500."),
        form("10/10 passed.", "## Issues Found\n- Medium: the reset mail has no test"),
    ],
)
def test_what_is_green_passes(board: Moot, told: str) -> None:
    in_column(board, "test")
    assert said(board, "test-executor", told).code == 0
    assert place(board) == ("done", "done")


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("heading", ["Approval: false", "Verdict: changes requested", "**Approval**: no"])
def test_a_verdict_in_a_heading_alone_is_heard(board: Moot, heading: str) -> None:
    in_column(board, "review")
    answer = said(board, "reviewer", form("Read it.", f"## {heading}", "## Issues Found\n- Low: naming"))
    assert answer.code == 2 and "which holds" in answer.err, answer.err


@pytest.mark.ledger("P-03")
def test_approved_is_the_approval(board: Moot) -> None:
    in_column(board, "review")
    told = {"type": "review_findings", "findings": [{"severity": "low", "file": "a.go", "issue": "naming"}]}
    both = said(board, "reviewer", told | {"status": "changes_requested", "approved": True})
    assert both.code == 2 and "contradict" in both.err
    run = board.json("board")["runs"][0]
    again = board("report", run["run"], "--token", "1", "-", code=None, stdin=json.dumps(told | {"approved": True}))
    assert again.code == 0, again.err
    assert board.json("show", "2")["runs"][-1]["outcome"] == "done"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "told",
    [
        {"type": "test_results", "status": "passed", "summary": {"total": 10, "passed": 9, "failed": 0, "errors": 1}},
        {"type": "test_results", "status": "passed", "summary": "9 passed, 1 error"},
        form("9 passed, 1 error in 2.3s"),
    ],
)
def test_a_test_that_ended_in_an_error_has_not_passed(board: Moot, told: str | View) -> None:
    in_column(board, "test")
    assert said(board, "test-executor", told).code == 0
    assert place(board)[0] == "implement"


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("name", ["summary", "results"])
@pytest.mark.parametrize("status", ["passed", "complete"])
def test_failed_tests_count_also_without_the_type_of_the_message(board: Moot, name: str, status: str) -> None:
    in_column(board, "test")
    told = {"status": status, "report": "Ran them.", name: {"total": 10, "passed": 8, "failed": 2}}
    assert said(board, "test-executor", told if name != "summary" else told | {"report": ""}).code == 0
    assert place(board)[0] == "implement"
    assert board.json("show", "1")["runs"][-1]["report"]["tests"] == {"total": 10, "passed": 8, "failed": 2}


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize("told", [{"summary": "8/10 passed"}, {"tests": {"total": 10, "passed": 8, "failed": 2}}])
def test_failed_beside_red_tests_is_asked_back(board: Moot, told: View) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", {"status": "failed", **told})
    assert answer.code == 2 and "2 of 10 tests failed: which holds" in answer.err, answer.err
    run = board.json("board")["runs"][0]["run"]
    words = json.dumps({"outcome": "failed", "cause": "environment", **told})
    assert board("report", run, "--token", "1", "-", code=None, stdin=words).code == 0
    assert place(board)[0] == "test"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "told",
    [
        form("Built it. The bug that must be fixed is fixed."),
        form("Built it.", "## Changes Made\n- a.go: x", "## Next Steps\n- The old login must be fixed too"),
    ],
)
def test_who_makes_the_work_and_ticks_complete_is_done(board: Moot, told: str) -> None:
    board("add", "Feature X")
    assert said(board, "implementer", told).code == 0
    assert place(board) == ("review", "waiting")
    assert said(board, "reviewer", form("The first one must be fixed.")).code == 0
    assert board.json("show", "2")["runs"][-1]["outcome"] == "changes_requested"


@pytest.mark.ledger("P-09")
@pytest.mark.parametrize(
    ("summary", "issue", "outcome"),
    [
        ("Looked at it.", "a.go:4: no check. This has to be fixed before merging.", "changes_requested"),
        ("Looked at it.", "a.go:4: no check (must fix)", "changes_requested"),
        ("This must not be merged as is.", "a.go:4: no check", "changes_requested"),
        ("I would not merge this.", "a.go:4: no check", "changes_requested"),
        ("Nothing must be fixed.", "a.go:4: naming", "done"),
        ("It does not need to be fixed now.", "a.go:4: naming", "done"),
    ],
)
def test_a_reviewer_that_wants_changes_gets_them(board: Moot, summary: str, issue: str, outcome: str) -> None:
    in_column(board, "review")
    assert said(board, "reviewer", form(summary, f"## Issues Found\n- {issue}")).code == 0
    assert board.json("show", "2")["runs"][-1]["outcome"] == outcome


FOR_THE_MAKER = ["implementer: add the test", "**Implementer** – add the test", "The implementer should add the test"]
UNTESTED = "## Issues Found\n- Medium: a.go:42: empty list is untested"


LEFT = ["review the remaining two files", "I still have to review b.go", "Finish the review of handlers/"]


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("found", [[], [UNTESTED, LEFT[0]]], ids=["nothing found", "found, and looks on"])
@pytest.mark.parametrize("step", FOR_THE_MAKER)
def test_a_step_left_to_whoever_made_the_work_is_asked_back(board: Moot, step: str, found: list[str]) -> None:
    in_column(board, "review")
    steps = "".join(f"\n- {one}" for one in [step, *found[1:]])
    told = form("One branch is untested.", *found[:1], f"## Next Steps{steps}", status=FOLLOW_UP)
    answer = said(board, "reviewer", told)
    assert answer.code == 2 and "which holds" in answer.err and "changes_requested" in answer.err, answer.err
    run = board.json("board")["runs"][0]["run"]
    assert board("report", run, "--token", "1", "-", "--final", code=None, stdin=told).code == 0
    done(board, "devils-advocate")
    assert place(board) == ("implement", "ready")
    assert "One branch is untested" in board("claim", "implementer", "--prompt").out
    assert "add the test" in board("show", "2").out


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("step", [None, *FOR_THE_MAKER, "Add a test for it", "Review it again after the fix"])
@pytest.mark.parametrize("severity", ["High", "Medium", "Low"])
@pytest.mark.parametrize(
    ("column", "agent"), [("review", "reviewer"), ("review", "devils-advocate"), ("test", "test-executor")]
)
def test_what_a_checker_found_and_wants_followed_up_reaches_the_maker(
    board: Moot, column: str, agent: str, severity: str, step: str | None
) -> None:
    in_column(board, column)
    found = UNTESTED.replace("Medium", severity)
    answer = said(
        board, agent, form("Looked.", found, *([f"## Next Steps\n- {step}"] if step else []), status=FOLLOW_UP)
    )
    assert answer.code == 0 and "incomplete, taken as changes_requested" in answer.out, answer.out + answer.err
    for other in {"reviewer", "devils-advocate"} - {agent} if column == "review" else ():
        done(board, other)
    assert place(board) == ("implement", "ready")
    told = board("claim", "implementer", "--prompt").out
    assert "empty list is untested" in told and (step or "") in told


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("step", LEFT)
@pytest.mark.parametrize("severity", ["Medium", "Low"])
def test_a_look_that_names_what_is_left_to_look_at_goes_on(board: Moot, severity: str, step: str) -> None:
    in_column(board, "review")
    found = UNTESTED.replace("Medium", severity)
    assert said(board, "reviewer", form("Looked.", found, f"## Next Steps\n- {step}", status=FOLLOW_UP)).code == 0
    assert board.json("show", "2")["runs"][-1]["outcome"] == "incomplete"
    assert step in board("claim", "reviewer", "--prompt").out


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize("severity", ["Medium", "Low"])
def test_what_is_found_beside_complete_stays_a_remark(board: Moot, severity: str) -> None:
    in_column(board, "test")
    assert said(board, "test-executor", form("Looked.", UNTESTED.replace("Medium", severity))).code == 0
    assert place(board) == ("done", "done")


@pytest.mark.ledger("P-09", "R-22")
@pytest.mark.parametrize(
    "step",
    ["Look at a.go, too", "test-executor: run it with empty input", "implementer: none", "implementer: docs later"],
)
@pytest.mark.parametrize(("status", "outcome"), [(FOLLOW_UP, "incomplete"), (COMPLETE, "done")])
def test_any_other_next_step_is_told(board: Moot, step: str, status: str, outcome: str) -> None:
    in_column(board, "review")
    assert said(board, "reviewer", form("Read half.", f"## Next Steps\n- {step}", status=status)).code == 0
    assert board.json("show", "2")["runs"][-1]["outcome"] == outcome


def test_a_dash_is_no_title(board: Moot) -> None:
    answer = board("add", "-", code=None, stdin="Implement feature X with tests")
    assert answer.code == 2 and "--from -" in answer.err
    assert board.json("board")["items"] == []
    assert board("add", "--from", "-", stdin="- Feature X\n").code == 0


NO_FAILURE: dict[str, Any] = {
    "type": "test_failures",
    "failures": [],
    "summary": {"total": 10, "passed": 10, "failed": 0},
}


@pytest.mark.ledger("P-05", "R-32")
@pytest.mark.parametrize("left_out", [None, "summary", "failures"])
def test_test_failures_without_a_failure_are_asked_back_by_what_they_would_be(
    board: Moot, left_out: str | None
) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", {name: NO_FAILURE[name] for name in NO_FAILURE if name != left_out})
    assert answer.code == 2 and "without a failure" in answer.err and "missing" not in answer.err, answer.err
    shown = '{"type": "test_results", "status": "passed"}'
    assert shown in answer.err and "changes_requested" not in answer.err, answer.err
    run = board.json("board")["runs"][0]["run"]
    assert board("report", run, "--token", "1", "-", code=None, stdin=shown).code == 0
    assert place(board) == ("done", "done")


@pytest.mark.ledger("P-05", "R-32")
def test_test_failures_that_name_nothing_are_asked_for_them(board: Moot) -> None:
    in_column(board, "test")
    answer = said(board, "test-executor", {"type": "test_failures"})
    assert answer.code == 2 and "failures: missing, a list of what failed" in answer.err


@pytest.mark.ledger("P-08")
@pytest.mark.parametrize(
    ("counted", "told"),
    [
        ((10, 10, 0), "10/10 passed"),
        ((10, 8, 2), "8/10 passed"),
        ((10, 7, 0), "7/10 passed, 3 neither passed nor failed"),
    ],
)
def test_tests_that_neither_passed_nor_failed_do_not_seem_red(counted: tuple[int, int, int], told: str) -> None:
    assert told_tests(*counted) == told
