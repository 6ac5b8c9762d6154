"""The pipeline document's own examples: messages, two reviewers at once, the test loop, dispatch (P-01 to P-11)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import CLARIFICATION, FAILURES, RESULTS, REVIEW, SECURITY

View = dict[str, Any]

TASK_ASSIGNMENT = {
    "type": "task_assignment",
    "from": "orchestrator",
    "to": "implementer",
    "task_id": "implement-feature",
    "description": "Implement feature X with tests",
    "context": "See requirements.md for details",
    "files": ["path/to/file1.go", "path/to/file2.go"],
    "constraints": ["Follow existing patterns", "Add unit tests", "No external dependencies"],
}
FAILED_ONCE = {
    "type": "test_failures",
    "failures": [
        {
            "test": "TestFeatureAPI",
            "error": "expected 200, got 500",
            "file": "tests/integration/api_test.go:42",
            "likely_fix": "Check error handling in handlers/feature.go",
        }
    ],
}
FIXED = """## Fixed Issues
- handlers/feature.go: Added error handling for missing input

## Tests
- Local test passes: go test ./internal/...
"""
COMPLETE = """I have finished.

## Summary
Implemented feature X

## Changes Made
- handlers/feature.go: the handler
- handlers/feature_test.go: its tests

## Next Steps (if applicable)
- Review the handler

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""


def board(folder: Path, *, column: str | None = None) -> Moot:
    moot = new_board(folder, "pipeline")
    moot("add", "Feature X with tests", *(["--column", column] if column else []))
    return moot


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


@pytest.mark.ledger("P-01", "P-04", "P-09", "P-08")
def test_each_agent_hands_its_result_to_the_rules_and_they_decide_who_is_next(tmp_path: Path) -> None:
    moot = board(tmp_path)
    assert moot.say("claim", "reviewer").code == 3, "nobody starts before the phase before is over"
    item = moot.speak("implementer", COMPLETE)
    assert place(item) == ("review", "waiting")
    report = item["runs"][0]["report"]
    assert report["summary"] == "Implemented feature X"
    assert report["files"]["modified"] + report["files"]["created"] == [
        "handlers/feature.go",
        "handlers/feature_test.go",
    ]
    assert report["next_steps"] == ["Review the handler"]
    moot.speak("reviewer", {"outcome": "done"})
    moot.speak("devils-advocate", {"outcome": "done"})
    assert place(moot("show", "1")) == ("test", "ready")
    assert place(moot.speak("test-executor", RESULTS)) == ("done", "done")
    phases = [event["context"]["phase"] for event in moot.events("1") if event["event"] == "phase_completed"]
    assert phases == ["implement", "review", "test"]


@pytest.mark.ledger("P-05", "R-14", "P-03")
def test_two_look_at_once_and_what_both_found_is_one_finding(tmp_path: Path) -> None:
    moot = board(tmp_path, column="review")
    first, second = moot("claim", "reviewer"), moot("claim", "devils-advocate")
    assert {first["item"]["kind"], second["item"]["kind"]} == {"part"}
    assert moot("show", "1")["status"] == "waiting"
    other = {"kind": "review", "severity": "low", "file": "handlers/feature.go", "line": 42, "issue": "Error is lost"}
    new = {"kind": "security", "severity": "low", "file": "services/user.go", "line": 7, "issue": "Weak hash"}
    moot.report(second, "changes_requested", findings=[other, new])
    assert moot("show", "1")["status"] == "waiting", "the item leaves when all parts have ended"

    moot.hand_in(first, json.dumps(REVIEW))
    item = moot("show", "1")
    assert place(item) == ("implement", "ready")
    assert item["iteration"] == 1
    both, alone = item["findings"]
    assert sorted(both["found_by"]) == ["devils-advocate", "reviewer"]
    assert both["severity"] == "high" and {both["issue"], *both["wordings"]} == {
        "Missing error handling",
        "Error is lost",
    }
    assert both["recommendation"] == "Add error check before proceeding"
    assert alone["found_by"] == ["devils-advocate"]
    brief = moot("claim", "implementer")["brief"]
    assert [finding["issue"] for finding in brief["findings"]] == [both["issue"], "Weak hash"]
    assert (brief["round"], brief["max_rounds"]) == (1, 3)


@pytest.mark.ledger("P-07", "R-14", "R-10", "P-03")
@pytest.mark.parametrize(
    ("choice", "ends"),
    [("1", ("implement", "ready")), ("2", ("test", "ready")), ("3", ("review", "cancelled"))],
)
def test_a_critical_finding_waits_for_the_persons_decision(tmp_path: Path, choice: str, ends: tuple[str, str]) -> None:
    moot = board(tmp_path, column="review")
    reviewer = moot("claim", "reviewer")
    moot.speak("devils-advocate", SECURITY)
    item = moot("show", "1")
    assert item["status"] == "awaiting-divine-guidance", "at once, while the reviewer is still at it"
    assert [option["option"] for option in item["questions"][0]["options"]] == [
        "fix it",
        "accept the risk and go on",
        "abort",
    ]
    answered = moot("answer", item["questions"][0]["id"], choice)
    if choice == "3":
        assert place(answered) == ends
        late = moot.say("report", reviewer["run"], "-", "--token", str(reviewer["token"]), stdin='{"outcome": "done"}')
        assert (late.code, late.error) == (1, "stale_claim"), "abort revokes the others"
        return
    assert place(answered) == ("review", "waiting"), "the reviewer has not spoken yet"
    moot.report(reviewer, "done")
    item = moot("show", "1")
    assert place(item) == ends
    if choice == "1":
        found = item["findings"][0]
        assert (found["kind"], found["category"], found["file"], found["line"]) == (
            "security",
            "sql_injection",
            "services/user.go",
            123,
        )
        assert found["exploit"] == "Input ' OR '1'='1 bypasses auth"
        assert found["recommendation"] == "Use parameterized queries"


@pytest.mark.ledger("P-11", "P-06", "P-10", "P-03", "R-13")
def test_the_documents_loop_two_rounds_then_passed(tmp_path: Path) -> None:
    moot = board(tmp_path, column="test")
    item = moot.speak("test-executor", FAILED_ONCE)
    assert place(item) == ("implement", "ready")
    assert item["iteration"] == 1
    claim = moot("claim", "implementer")
    finding = claim["brief"]["findings"][0]
    assert (finding["kind"], finding["test"], finding["issue"]) == ("test", "TestFeatureAPI", "expected 200, got 500")
    assert (finding["file"], finding["line"]) == ("tests/integration/api_test.go", 42)
    assert finding["recommendation"] == "Check error handling in handlers/feature.go"
    assignment = claim["brief"]["messages"][0]
    assert (assignment["type"], assignment["from"], assignment["to"], assignment["status"]) == (
        "task_assignment",
        "orchestrator",
        "implementer",
        "accepted",
    )
    assert (assignment["payload"]["round"], assignment["payload"]["max_rounds"]) == (1, 3)
    item = moot.hand_in(claim, FIXED)
    assert place(item) == ("test", "ready"), "after the fix it returns to whoever asked, and only to them"
    assert item["runs"][-1]["outcome"] == "done"
    item = moot.speak("test-executor", RESULTS)
    assert place(item) == ("done", "done")
    assert (item["iteration"], item["max_rounds"]) == (2, 3)
    assert item["tests"] == {"total": 10, "passed": 10, "failed": 0}
    phase = [event for event in moot.events("1") if event["event"] == "phase_completed"][-1]["context"]
    assert (phase["phase"], phase["rounds"], phase["tests"]) == ("test", 2, {"total": 10, "passed": 10, "failed": 0})


@pytest.mark.ledger("P-06", "P-08")
def test_a_failure_in_the_last_round_asks_a_person(tmp_path: Path) -> None:
    moot = board(tmp_path, column="test")
    for _ in range(2):
        moot.speak("test-executor", FAILURES)
        moot.speak("implementer", FIXED)
    item = moot.speak("test-executor", FAILURES)
    assert (item["status"], item["iteration"]) == ("awaiting-divine-guidance", 3)
    assert "round 3" in item["questions"][0]["question"]
    said = item["runs"][-1]["report"]
    assert said["tests"] == {"total": 10, "passed": 8, "failed": 2}
    assert (said["extra"]["round"], said["extra"]["max_rounds"]) == (2, 3)


@pytest.mark.ledger("P-03", "E-08")
def test_a_clarification_request_asks_and_the_answer_reaches_the_next_run(tmp_path: Path) -> None:
    moot = board(tmp_path)
    item = moot.speak("implementer", CLARIFICATION)
    question = item["questions"][0]
    assert (item["status"], question["kind"]) == ("awaiting-divine-guidance", "clarification")
    assert question["question"] == "Should the feature support pagination?"
    assert question["context"].startswith("The requirements mention")
    assert [option["option"] for option in question["options"]] == CLARIFICATION["options"]
    moot("answer", question["id"], "2")
    guidance = moot("claim", "implementer")["brief"]["guidance"][-1]
    assert (guidance["question"], guidance["answer"]) == (question["question"], "Add cursor-based pagination")


@pytest.mark.ledger("P-03", "R-26")
def test_a_task_assignment_makes_an_item(tmp_path: Path) -> None:

    moot = new_board(tmp_path, "pipeline")
    sent = moot("send", "-", stdin=json.dumps(TASK_ASSIGNMENT))
    item = moot("show", sent["item"])
    assert place(item) == ("implement", "ready")
    assert item["title"] == "Implement feature X with tests"
    assert item["files"] == ["path/to/file1.go", "path/to/file2.go"]
    assert item["constraints"] == TASK_ASSIGNMENT["constraints"]
    claim = moot("claim", "implementer")
    assert claim["brief"]["messages"][0]["message_id"] == sent["message_id"]
    assert moot("messages", "--status", "accepted")["messages"][0]["payload"]["task_id"] == "implement-feature"


@pytest.mark.ledger("P-02", "R-25")
def test_dispatch_agent_is_for_simple_things(tmp_path: Path) -> None:
    moot = board(tmp_path, column="test")
    claim = moot("claim", "test-executor")
    inside = ["--run", claim["run"], "--token", str(claim["token"])]
    task = "Fix the following issues found by reviewer:\n\nMissing error handling"
    for purpose in ("fix", "question", "test_failure"):
        made = moot("dispatch", "implementer", task, "--purpose", purpose, *inside)
        assert (made["kind"], made["agent"], made["parent"]) == ("dispatch", "implementer", None)
    for purpose in ("coordination", "conflict", "state"):
        refused = moot.say("dispatch", "implementer", task, "--purpose", purpose, *inside)
        assert refused.code in (1, 2), purpose
    assert moot("show", "1")["status"] == "running", "the caller goes on"
    fix = moot("claim", "implementer")
    assert fix["brief"]["task"]["body"] == task
    again = ["--run", fix["run"], "--token", str(fix["token"])]
    assert moot.say("dispatch", "implementer", "more", *again).error == "may_not_dispatch"
    assert place(moot.report(fix, "done", summary="error handling added"))[1] == "done"
    moot.report(claim, "incomplete", summary="the tests run for long")
    outputs = moot("claim", "test-executor")["brief"]["outputs"]
    assert [output["summary"] for output in outputs] == ["error handling added"]


# The document's example, every message as it is printed there.
ROUND_ONE = """{
  "type": "test_failures",
  "failures": [
    {
      "test": "TestFeatureAPI",
      "error": "expected 200, got 500",
      "file": "tests/integration/api_test.go:42"
    }
  ]
}"""
TO_IMPLEMENTER = r"""{
  "type": "task_assignment",
  "task_id": "fix-test-failures",
  "description": "Fix test failures from round 1:\n\nTestFeatureAPI: expected 200, got 500 at tests/integration/api_test.go:42\n\nLikely issue: Check error handling in handlers/feature.go",
  "round": 1,
  "max_rounds": 3
}"""  # noqa: E501
TO_TESTER = """{
  "type": "task_assignment",
  "task_id": "rerun-tests",
  "description": "Re-run integration tests after fixes in round 1",
  "round": 2
}"""
PASSED = """{
  "type": "test_results",
  "status": "passed",
  "summary": {
    "total": 10,
    "passed": 10,
    "failed": 0
  }
}"""


@pytest.mark.ledger("P-11", "P-01", "P-03", "P-06", "P-10", "R-26", "R-05")
@pytest.mark.parametrize("relays", [True, False])
def test_the_example_runs_with_its_messages_as_printed(tmp_path: Path, relays: bool) -> None:
    """`relays`: somebody plays the dispatcher and sends what it relays; else the rules do so alone."""
    moot = board(tmp_path, column="test")
    claim = moot("claim", "test-executor")
    inside = ["--run", claim["run"], "--token", str(claim["token"])]
    sent = moot("send", "-", *inside, stdin=ROUND_ONE)
    assert (sent["from"], sent["to"], sent["item"], sent["status"]) == ("test-executor", "orchestrator", "1", "pending")
    assert place(moot.hand_in(claim, ROUND_ONE)) == ("implement", "ready")
    assert moot("messages", "--to", "dispatcher")["messages"][0]["status"] == "completed", "the report was acted on"
    if relays:
        relayed = moot("send", "-", "--as", "dispatcher", "--to", "implementer", stdin=TO_IMPLEMENTER)
        assert (relayed["from"], relayed["item"]) == ("orchestrator", "1"), "it is about the item in its loop"
    claim = moot("claim", "implementer")
    told = claim["brief"]["messages"]
    assert len(told) == (2 if relays else 1) and claim["brief"]["round"] == 1
    assert {(m["payload"]["round"], m["payload"]["max_rounds"]) for m in told} == {(1, 3)}
    line = "TestFeatureAPI: expected 200, got 500 at tests/integration/api_test.go:42"
    assert all(line in m["payload"]["description"] for m in told)
    assert place(moot.hand_in(claim, FIXED)) == ("test", "ready")
    assert moot("show", "1")["iteration"] == 2
    if relays:
        assert moot("send", "-", "--as", "dispatcher", "--to", "test-executor", stdin=TO_TESTER)["item"] == "1"
    claim = moot("claim", "test-executor")
    assert {m["payload"]["round"] for m in claim["brief"]["messages"]} == {2} and claim["brief"]["round"] == 2
    item = moot.hand_in(claim, PASSED)
    assert (place(item), item["iteration"]) == (("done", "done"), 2)
    assert len(moot("list")["items"]) == 1
    messages = moot("messages")["messages"]
    assert {m["status"] for m in messages} == {"completed"}
    results = next(m for m in messages if m["type"] == "test_results")
    assert results["payload"]["tests"] == {"total": 10, "passed": 10, "failed": 0}
    assert moot("metrics")["fix_iterations"]["1"] == 1 and moot("doctor")["ok"]


@pytest.mark.ledger("P-03", "R-26")
def test_the_assignment_as_printed_needs_only_to_be_told_who_and_to_whom(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "pipeline")
    printed = json.dumps({name: value for name, value in TASK_ASSIGNMENT.items() if name not in ("from", "to")})
    said = moot.say("send", "-", "--as", "dispatcher", stdin=printed)
    assert said.error == "bad_message" and "to: missing" in said.err and "--to" in said.err
    item = moot("show", moot("send", "-", "--as", "dispatcher", "--to", "Implementer", stdin=printed)["item"])
    assert (place(item), item["title"]) == (("implement", "ready"), "Implement feature X with tests")


@pytest.mark.ledger("P-03", "P-07", "R-26")
def test_a_clarification_request_that_is_sent_asks_a_person(tmp_path: Path) -> None:
    moot = board(tmp_path)
    sent = moot("send", "-", stdin=json.dumps(CLARIFICATION))
    assert (sent["item"], sent["status"]) == ("1", "pending")
    question = moot("inbox")["questions"][0]
    assert question["question"] == "Should the feature support pagination?"
    assert [option["option"] for option in question["options"]] == CLARIFICATION["options"]
    moot("answer", question["id"], "1")
    assert [m["status"] for m in moot("messages", "--to", "orchestrator")["messages"]] == ["completed"]


@pytest.mark.ledger("P-03", "H-02")
@pytest.mark.parametrize("spelled", ["devil's-advocate", "Devil's Advocate", "DEVILS-ADVOCATE"])
def test_the_documents_spelling_of_a_role_is_that_role(tmp_path: Path, spelled: str) -> None:
    moot = board(tmp_path, column="review")
    assert moot("claim", spelled)["agent"] == "devils-advocate"
    assert moot("dispatch", spelled, "Look at the limits")["agent"] == "devils-advocate"
    sent = moot("send", "-", stdin=json.dumps({**SECURITY, "source": spelled}))
    assert (sent["from"], sent["item"]) == ("devils-advocate", "1")


COMPLETED = """## Summary
I have looked, and told the dispatcher

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""


@pytest.mark.ledger("P-01", "P-03", "P-06", "R-22", "R-26")
@pytest.mark.parametrize("to", ["dispatcher", "implementer"])
def test_what_was_sent_as_printed_counts_beside_complete(tmp_path: Path, to: str) -> None:
    moot = board(tmp_path, column="test")
    claim = moot("claim", "test-executor")
    moot("send", "-", "--to", to, "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(FAILURES))
    item = moot.hand_in(claim, COMPLETED)
    assert place(item) == ("implement", "ready") and "2 of 10 tests failed" in item["why"]
    assert [(one["test"], one["line"]) for one in item["findings"]] == [("TestFeatureIntegration", 42)]
    told = [m for m in moot("messages")["messages"] if m["type"] == "test_failures"]
    assert "rejected" not in [m["status"] for m in told]
    assert moot("claim", "implementer")["brief"]["findings"][0]["test"] == "TestFeatureIntegration"


@pytest.mark.ledger("P-07", "P-03", "R-10", "R-26")
@pytest.mark.parametrize("to", ["dispatcher", "implementer"])
def test_a_critical_issue_sent_as_printed_asks_beside_complete(tmp_path: Path, to: str) -> None:
    moot = board(tmp_path, column="review")
    claim = moot("claim", "devil's-advocate")
    moot("send", "-", "--to", to, "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(SECURITY))
    moot.hand_in(claim, COMPLETED)
    item = moot("show", "1")
    assert item["status"] == "awaiting-divine-guidance" and "sql_injection" in item["questions"][0]["question"]


@pytest.mark.ledger("P-07", "P-08", "R-10")
@pytest.mark.parametrize("choice", ["fix it", "accept the risk and go on"])
def test_a_critical_issue_that_the_implementer_found_asks_a_person(tmp_path: Path, choice: str) -> None:
    moot = board(tmp_path)
    found = "## Issues Found\n- Critical: sql injection in services/user.go:123\n\n## Next Steps"
    item = moot.speak("implementer", COMPLETE.replace("## Next Steps", found))
    assert place(item) == ("implement", "awaiting-divine-guidance")
    question = item["questions"][0]
    assert question["question"].startswith("A critical finding: sql injection")
    answered = moot("answer", question["id"], choice)
    assert place(answered) == (("implement", "ready") if choice == "fix it" else ("review", "waiting"))


@pytest.mark.ledger("P-01", "P-03", "R-26")
@pytest.mark.parametrize("to", ["devil's-advocate", "reviewer"])
def test_a_task_assigned_to_one_of_two_is_for_that_one_alone(tmp_path: Path, to: str) -> None:
    moot = new_board(tmp_path, "pipeline")
    printed = json.dumps({name: value for name, value in TASK_ASSIGNMENT.items() if name not in ("from", "to")})
    sent = moot("send", "-", "--as", "dispatcher", "--to", to, stdin=printed)
    named, other = sent["to"], {"reviewer": "devils-advocate"}.get(to, "reviewer")
    item = moot("show", sent["item"])
    assert (item["kind"], item["agent"], item["title"]) == ("dispatch", named, "Implement feature X with tests")
    assert item["constraints"] == TASK_ASSIGNMENT["constraints"] and len(moot("list")["items"]) == 1
    assert moot.say("claim", other).code == 3, "nobody else is asked"
    claim = moot("claim", to)
    assert [m["message_id"] for m in claim["brief"]["messages"]] == [sent["message_id"]]
    assert moot.hand_in(claim, COMPLETED)["status"] == "done"
    assert [m["status"] for m in moot("messages")["messages"] if m["type"] == "task_assignment"] == ["completed"]
    assert moot("doctor")["ok"]


@pytest.mark.ledger("P-03", "R-26")
@pytest.mark.parametrize("spelled", ["Task_Assignment", "Task Assignment", "TASK-ASSIGNMENT", "task_assignment"])
@pytest.mark.parametrize("enveloped", [False, True])
def test_a_type_of_message_is_found_however_it_is_spelled(tmp_path: Path, spelled: str, enveloped: bool) -> None:
    moot = new_board(tmp_path, "pipeline")
    message: View = {**TASK_ASSIGNMENT, "type": spelled}
    if enveloped:
        around = {name: message.pop(name) for name in ("type", "from", "to")}
        message = {**around, "payload": message}
    sent = moot("send", "-", stdin=json.dumps(message))
    assert sent["type"] == "task_assignment" and sent["payload"]["task_id"] == "implement-feature"
    assert place(moot("show", sent["item"])) == ("implement", "ready")


@pytest.mark.ledger("P-02", "R-26")
def test_what_dispatch_agent_takes_is_shown_the_way(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "pipeline")
    printed = """{
  "agent": "implementer",
  "task": "Fix the following issues found by reviewer:\\n\\n<issues>"
}"""
    said = moot.say("send", "-", "--as", "reviewer", stdin=printed)
    assert (said.code, said.error) == (2, "bad_message") and "dispatch" in said.err


@pytest.mark.ledger("P-10", "P-06", "R-26")
@pytest.mark.parametrize(
    ("told", "note"),
    [
        ({"round": 1, "max_rounds": 3}, None),
        ({}, None),
        ({"round": 1, "max_rounds": 9}, "max_rounds: the flow's limit holds, 3"),
        ({"round": 2}, "round: the board counts 1"),
    ],
)
def test_rounds_are_the_boards_to_count_and_the_sender_is_told(tmp_path: Path, told: View, note: str | None) -> None:
    moot = board(tmp_path, column="test")
    claim = moot("claim", "test-executor")
    inside = ["--run", claim["run"], "--token", str(claim["token"])]
    sent = moot("send", "-", *inside, stdin=json.dumps({**FAILED_ONCE, **told}))
    assert sent.get("note") == note
    assert {name: sent["payload"].get(name) for name in told} == told, "the message stays as it is"


@pytest.mark.ledger("P-03", "P-07", "R-14", "R-26")
def test_a_clarification_request_of_one_of_two_reviewers_is_its_items_question(tmp_path: Path) -> None:
    moot = board(tmp_path, column="review")
    claim = moot("claim", "reviewer")
    request = json.dumps({**CLARIFICATION, "from": "reviewer"})
    said = moot.say("send", "-", stdin=request, run_id=claim["run"], token=claim["token"])
    assert said.code == 0, said.err
    (question,) = moot("inbox")["questions"]
    assert (question["task_id"], question["question"]) == ("1", "Should the feature support pagination?")
    assert [option["option"] for option in question["options"]] == CLARIFICATION["options"]
    moot.report(claim, "done", summary="fine")
    moot.effort("devils-advocate", "done", summary="fine too")
    assert place(moot("show", "1")) == ("review", "awaiting-divine-guidance"), "it leaves when the answer is there"
    moot("answer", question["id"], "1")
    assert place(moot("show", "1"))[0] == "test"
    assert moot("doctor")["ok"]
