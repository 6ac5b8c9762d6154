"""What agents write in the documents' own forms: a hasty approval, bad form, work that is left half done."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import CLARIFICATION, FAILURES, RESULTS, REVIEW, SECURITY

View = dict[str, Any]

# The pipeline document's form, filled in by a tester.
EIGHT_OF_TEN = """## Summary
Re-ran integration tests after fixes in round 1. Integration tests: 8/10 passed

## Changes Made
- none

## Issues Found (if applicable)
- Low: TestFeatureIntegration is slow

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""
HIGH_ISSUE = EIGHT_OF_TEN.replace("8/10", "10/10").replace("- Low: Test", "- High: Test")
ALL_GREEN = EIGHT_OF_TEN.replace("8/10", "10/10")
PASSED_THOUGH_RED = {**RESULTS, "summary": FAILURES["summary"]}
PASSED_WITH_FAILURES = {**RESULTS, "failures": FAILURES["failures"]}
APPROVED_REVIEW = {**REVIEW, "status": "approved", "approval": True}
APPROVED_HOLES = {**SECURITY, "status": "approved"}
LESS = {"severity": "low"}


def board(folder: Path, preset: str, column: str) -> Moot:
    moot = new_board(folder, preset)
    moot("add", "Feature X with tests", "--column", column)
    return moot


TESTERS: dict[str, str | View] = {
    "the form, 8/10 passed": EIGHT_OF_TEN,
    "the form, a high issue": HIGH_ISSUE,
    "the form, 8 passed, 2 failed": EIGHT_OF_TEN.replace("8/10 passed", "8 passed, 2 failed"),
    "test_results, passed though red": PASSED_THOUGH_RED,
    "test_results, passed with failures": PASSED_WITH_FAILURES,
    "test_failures": FAILURES,
    "JSON": {"outcome": "done", "tests": {"total": 10, "passed": 8, "failed": 2}},
    "JSON without the failed ones": {"outcome": "done", "tests": {"total": 10, "passed": 8}},
    "a quest report": {"status": "complete", "report": "ran all", "tests": {"total": 10, "passed": 8, "failed": 2}},
    "a quest report with issues": {"status": "complete", "report": "ran all", "issues": REVIEW["findings"]},
    "completion": {"type": "completion", "payload": {"status": "completed", "issues": REVIEW["findings"]}},
}


def with_ending(message: View, ending: str = ALL_GREEN, tests: str = " Integration tests: 10/10 passed") -> str:
    """A message as the document prints it, and the form that it wants at the end of every answer."""
    return f"```json\n{json.dumps(message, indent=2)}\n```\n\n{ending.replace(tests, '')}"


FOLLOW_UP = ALL_GREEN.replace("[x] Complete / [ ] Needs", "[ ] Complete / [x] Needs")
TESTERS |= {
    "test_failures and the form": with_ending(FAILURES),
    "test_failures and the form, needs follow-up": with_ending(FAILURES, FOLLOW_UP),
    "test_failures and a short form": with_ending(FAILURES, "## Status\nComplete\n"),
    "the form and test_failures": with_ending(FAILURES).split("```\n\n")[1] + "\n" + json.dumps(FAILURES),
    "JSON in words": {"outcome": "done", "summary": "Integration tests: 8/10 passed"},
    "test_results in words": {**RESULTS, "summary": "8/10 passed, 2 failed"},
    "test_results in other words": {**RESULTS, "summary": "2 of 10 tests failed"},
    "test_results, the failure in words": {**RESULTS, "failures": ["High: TestFeatureAPI: expected 200, got 500"]},
}


@pytest.mark.ledger("R-22", "P-07")
@pytest.mark.parametrize("said", TESTERS.values(), ids=TESTERS.keys())
def test_a_tester_who_says_complete_beside_red_tests_sends_it_back(tmp_path: Path, said: str | View) -> None:
    moot = board(tmp_path, "pipeline", "test")
    item = moot.speak("test-executor", said)
    assert (item["column"], item["runs"][-1]["outcome"]) == ("implement", "changes_requested")
    assert moot("claim", "implementer")["brief"]["round"] == 1
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-22", "P-11")
@pytest.mark.parametrize("said", [ALL_GREEN, RESULTS], ids=["the form", "test_results"])
def test_a_tester_who_says_complete_beside_green_tests_is_believed(tmp_path: Path, said: str | View) -> None:
    item = board(tmp_path, "pipeline", "test").speak("test-executor", said)
    assert (item["column"], item["status"]) == ("done", "done")
    assert all(finding["remark"] for finding in item["findings"])


@pytest.mark.ledger("P-03", "P-09", "R-32")
def test_a_form_that_takes_the_message_back_is_asked_about_while_the_run_lives(tmp_path: Path) -> None:
    moot = board(tmp_path, "pipeline", "test")
    claim = moot("claim", "test-executor")
    refused = moot.try_in(claim, with_ending(FAILURES, tests=""))
    assert refused.code == 2 and "counts 2 failed of 10, the form beside it none" in refused.err
    empty = moot.try_in(claim, ALL_GREEN.replace("[x]", "[ ]"))
    assert empty.code == 2 and "no box is ticked" in empty.err and "mend the form's Status" in empty.err
    item = moot.hand_in(claim, with_ending(RESULTS).replace("[x]", "[ x ]"))
    assert (item["column"], item["status"]) == ("done", "done")


@pytest.mark.ledger("P-03", "P-09")
@pytest.mark.parametrize("box", ["Needs follow-up", "Blocked"])
def test_a_question_with_the_form_behind_it_is_asked(tmp_path: Path, box: str) -> None:
    moot = board(tmp_path, "pipeline", "implement")
    form = ALL_GREEN.replace("[x]", "[ ]").replace(f"[ ] {box}", f"[x] {box}")
    moot.speak("implementer", with_ending(CLARIFICATION, form))
    (question,) = moot("inbox")["questions"]
    assert question["question"] == CLARIFICATION["question"]


@pytest.mark.ledger("P-05", "R-10")
@pytest.mark.parametrize(
    "word", ["critical: services/user.go:123: SQL injection", "Critical: SQL injection at services/user.go:123"]
)
def test_a_critical_hole_in_one_line_asks_a_person(tmp_path: Path, word: str) -> None:
    moot = board(tmp_path, "pipeline", "review")
    moot.speak("reviewer", {**REVIEW, "status": "approved", "approval": True, "findings": []})
    moot.speak("devils-advocate", with_ending({**SECURITY, "vulnerabilities": [word]}))
    (question,) = moot("inbox")["questions"]
    assert "SQL injection" in json.dumps(question)
    moot("answer", question["id"], "fix")
    (found,) = [one for one in moot("claim", "implementer")["brief"]["findings"] if "SQL" in one["issue"]]
    assert (found["severity"], found["file"], found["line"]) == ("critical", "services/user.go", 123)


@pytest.mark.ledger("H-10", "H-14")
@pytest.mark.parametrize(
    "issue",
    ["High: handlers/feature.go:42-44: no check", {"severity": "high", "file": "handlers/feature.go", "line": "42-44"}],
)
def test_an_issue_sent_in_one_line_keeps_its_severity_and_place(tmp_path: Path, issue: str | View) -> None:
    moot = board(tmp_path, "handoff", "review")
    claim = moot("claim", "reviewer")
    message = {"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": [issue]}}
    moot("send", "-", "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(message))
    (found,) = moot.hand_in(claim, "{status: needs_fixes, issues: 1}")["findings"]
    assert (found["severity"], found["file"], found["line"]) == ("high", "handlers/feature.go", 42)
    assert "42-44" in found["issue"]


@pytest.mark.ledger("R-22", "R-14", "P-05")
@pytest.mark.parametrize(
    ("reviewer", "advocate"),
    [
        (APPROVED_REVIEW, {**SECURITY, "vulnerabilities": []}),
        ({**APPROVED_REVIEW, "findings": []}, {**SECURITY, "status": "approved"}),
    ],
)
def test_two_reviewers_of_whom_one_approves_beside_what_must_change(
    tmp_path: Path, reviewer: View, advocate: View
) -> None:
    moot = board(tmp_path, "pipeline", "review")
    moot.speak("reviewer", reviewer)
    moot.speak("devils-advocate", advocate)
    for question in moot.say("inbox").json["questions"] if moot.say("inbox").code == 0 else []:
        moot("answer", question["id"], "fix it")
    assert moot("show", "1")["column"] == "implement"


@pytest.mark.ledger("R-14", "P-05")
def test_both_recommendations_about_one_place_reach_the_implementer(tmp_path: Path) -> None:
    moot = board(tmp_path, "pipeline", "review")
    (one,) = REVIEW["findings"]
    moot.speak("reviewer", REVIEW)
    other = {**one, "kind": "review", "recommendation": "Return early", "issue": "It may be nil"}
    moot.speak("devils-advocate", {**REVIEW, "findings": [other], "reviewer": "devil's-advocate"})
    (told,) = moot("claim", "implementer")["brief"]["findings"]
    assert told["recommendation"] == "Add error check before proceeding\nReturn early"
    assert told["wordings"] == ["It may be nil"]


@pytest.mark.ledger("R-22", "H-10")
def test_a_reviewer_of_the_handoff_who_approves_beside_a_high_finding(tmp_path: Path) -> None:
    moot = board(tmp_path, "handoff", "review")
    item = moot.speak("reviewer", {"status": "approved", "issues": REVIEW["findings"]})
    assert item["column"] == "fix" and "though it says approved" in item["why"]
    moot.speak("fixer", "Returns: {status: fixes_applied}")
    low = [{**REVIEW["findings"][0], **LESS}]
    item = moot.speak("reviewer", {"status": "approved", "issues": low})
    assert (item["status"], [finding["remark"] for finding in item["findings"]]) == ("done", [True])


# The form

ASKS_NOTHING = {"outcome": "asks", "summary": "which one?", "comments": [{"content": "Two readings of line 45"}]}
ASKED_BACK: dict[str, tuple[str, str, str, str | View, str]] = {
    "a reply that leaves the thread open": (
        "kanban",
        "dev",
        "dev-agent",
        {"outcome": "disputed", "comments": [{"content": "Test is wrong.", "parent": "c001"}]},
        "no such comment",
    ),
    "a builder's split": (
        "handoff",
        "build",
        "builder",
        {"status": "complete", "output": {"a": {"task": "x", "files": ["a"]}}},
        "may not report split",
    ),
    "a question without one": ("handoff", "build", "builder", ASKS_NOTHING, "asks needs a question"),
    "changes without words": ("pipeline", "test", "test-executor", {"outcome": "changes_requested"}, "needs findings"),
}


@pytest.mark.ledger("R-32", "R-07")
@pytest.mark.parametrize("case", ASKED_BACK.values(), ids=ASKED_BACK.keys())
def test_a_report_that_breaks_the_form_is_asked_back(tmp_path: Path, case: Any) -> None:
    preset, column, agent, said, words = case
    moot = board(tmp_path, preset, column)
    claim = moot("claim", agent)
    refused = moot.try_in(claim, said, "--key", "k")
    error = json.loads(refused.err)["error"]
    assert (refused.code, refused.out, error["code"]) == (2, "", "report_refused")
    assert words in error["message"] and "report again" in error["hint"]
    item = moot("show", "1")
    assert item["status"] == "running" and item["runs"][-1]["refused_for"] in error["message"]
    told = [remark["content"] for remark in said.get("comments", [])] if isinstance(said, dict) else []
    assert [comment["content"] for comment in item["comments"]] == told
    done = moot.try_in(claim, {"outcome": "done", "summary": "well then"}, "--key", "k").json
    assert done["runs"][-1]["outcome"] == "done" and len(done["comments"]) == len(told)
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-32")
def test_with_final_the_same_ends_the_run_and_its_words_stay(tmp_path: Path) -> None:
    moot = board(tmp_path, "handoff", "build")
    claim = moot("claim", "builder")
    assert moot.try_in(claim, ASKS_NOTHING).code == 2
    item = moot.try_in(claim, ASKS_NOTHING, "--final").json
    assert (item["status"], item["runs"][-1]["cause"]) == ("ready", "protocol")
    assert [comment["content"] for comment in item["comments"]] == ["Two readings of line 45"]
    assert moot("claim", "builder")["brief"]["told"] == "asks needs a question"


# What is left

FOLLOW_UP = """## Summary
Pagination works for lists, not yet for search.

## Changes Made
- handlers/list.go: offset and limit
- handlers/search.go: only the signature

## Issues Found (if applicable)
- Medium: handlers/search.go:12 ignores the limit

## Next Steps (if applicable)
- Pass the limit to the search query

## Status
- [ ] Complete / [x] Needs follow-up / [ ] Blocked
"""
BLOCKED = FOLLOW_UP.replace("[x] Needs follow-up / [ ] Blocked", "[ ] Needs follow-up / [x] Blocked")
QUEST = {
    "agentType": "codeweaver",
    "status": "blocked",
    "task": "User can register with email",
    "output": {
        "filesCreated": ["src/auth/registration.ts"],
        "filesModified": ["existing.ts"],
        "interfaces": ["RegistrationForm"],
        "integrationPoints": ["mailer.send"],
    },
    "report": "the form is there, the mail is not",
    "blockers": "nobody wrote the mailer",
    "recommendations": "split off the mailer",
    "retro": "look at mailer.ts first",
}
SHORT = {
    "status": "failed",
    "output": "src/auth/registration.ts",
    "report": "two of three done",
    "nextSteps": "the third one",
    "retro": "read the spec twice",
}
INCOMPLETE = """ATTEMPT 1: [SELF-SOLVE]
Approach: Raise the pool
Outcome: still red

TASK_INCOMPLETE
Completed: the parser and its tests
Remaining: the lexer
Stopped at: src/lexer.py:40
"""
BOTH = f"{FOLLOW_UP}\nTASK_INCOMPLETE\n"
LEFT: dict[str, tuple[str, str, str, str | View, list[str]]] = {
    "Needs follow-up": (
        "pipeline",
        "implement",
        "implementer",
        FOLLOW_UP,
        ["not yet for search", "only the signature", "handlers/list.go", "Pass the limit", "ignores the limit"],
    ),
    "Blocked": (
        "pipeline",
        "implement",
        "implementer",
        BLOCKED,
        ["not yet for search", "only the signature", "Pass the limit", "ignores the limit"],
    ),
    "a form and the signal": (
        "pipeline",
        "implement",
        "implementer",
        BOTH,
        ["not yet for search", "only the signature", "Pass the limit", "ignores the limit"],
    ),
    "TASK_INCOMPLETE": (
        "escalation",
        "available",
        "developer",
        INCOMPLETE,
        ["the parser and its tests", "the lexer", "src/lexer.py:40", "Raise the pool", "still red"],
    ),
    "quest, blocked": (
        "quest",
        "weave",
        "codeweaver",
        QUEST,
        [
            "the form is there",
            "nobody wrote the mailer",
            "split off the mailer",
            "mailer.ts",
            "RegistrationForm",
            "mailer.send",
            "src/auth/registration.ts",
        ],
    ),
    "quest, failed": (
        "quest",
        "weave",
        "codeweaver",
        SHORT,
        ["two of three done", "the third one", "src/auth/registration.ts", "read the spec twice"],
    ),
    "handoff": (
        "handoff",
        "build",
        "builder",
        {
            "status": "incomplete",
            "commit": "abc123",
            "summary": "half",
            "next_steps": ["the rest"],
            "notes": "see log.go",
        },
        ["half", "the rest", "abc123", "see log.go"],
    ),
    "JSON": (
        "kanban",
        "dev",
        "dev-agent",
        {
            "outcome": "incomplete",
            "summary": "half",
            "next_steps": ["the rest"],
            "blockers": "a lock",
            "attempts": [{"approach": "Cache it", "outcome": "slower"}],
            "contracts": [{"name": "Cache", "text": "get, put"}],
            "extra": {"stopped": "at line 40"},
        },
        ["half", "the rest", "a lock", "Cache it", "slower", "at line 40"],
    ),
}


@pytest.mark.ledger("Q-08", "R-07")
@pytest.mark.parametrize("case", LEFT.values(), ids=LEFT.keys())
def test_what_is_done_and_what_is_left_reaches_the_next_agent_and_show(tmp_path: Path, case: Any) -> None:
    preset, column, agent, said, words = case
    moot = board(tmp_path, preset, column)
    item = moot.speak(agent, said)
    whole = json.dumps(item)
    shown = shown_to_a_person(moot)
    for question in (one for one in item["questions"] if one["state"] == "open"):
        ways = [option["option"] for option in question["options"]]
        moot("answer", question["id"], ways[0] if ways else "go on with what there is")
    watcher = moot("show", "1")["watcher"]
    claim = moot("claim", watcher)
    told = json.dumps(claim["brief"])
    for one in words:
        assert one in whole, f"{one!r} is not in show --json"
        assert one in told, f"{one!r} is not in the brief of {watcher}"
        assert one in shown, f"{one!r} is not in show"


def shown_to_a_person(moot: Moot) -> str:
    """`moot show` in words, on one line each."""
    ended = moot.process_text("show", "1")
    return " ".join(ended.split())
