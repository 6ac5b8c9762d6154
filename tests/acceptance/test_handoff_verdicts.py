"""A verdict, and what stands beside it against it, in the handoff document's words: asked back, never an approval."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_handoff_returns import Desk

View = dict[str, Any]
APPROVED: View = {"status": "approved", "summary": "I looked at it."}
OPEN: list[View] = [
    {"open_issues": ["rename it"]},
    {"problems": ["rename it"]},
    {"blocking_issues": ["rename it"]},
    {"fixes_needed": 1},
    {"conditions": ["rename it"]},
    {"reviews": [{"file": "a.py", "status": "approved"}, {"file": "b.py", "status": "needs_fixes"}]},
    {"per_file": {"a.py": {"verdict": "rejected"}}},
    {"previous_issues": [{"issue": "rename it", "status": "fixed"}, {"issue": "test it", "status": "still_open"}]},
    {"prior_findings": [{"issue": "rename it", "severity": "high", "status": "Open"}]},
    {"verification": [{"finding": "rename it", "fixed": False}]},
    {"rereview": [{"finding": "rename it", "status": "partially fixed"}]},
    {"summary": "Approved, provided you rename it before merging."},
    {"summary": "It reads well. Approved once it is renamed."},
    {"summary": "Once the two issues below are fixed this is approved:\n\n- a.py:1 no hash\n- b.py:2 no test"},
    {"summary": "If both are addressed, it can be approved."},
    {"needs_human_review": True},
    {"open_questions": ["May it be public?"]},
]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("beside", OPEN, ids=str)
def test_an_approval_beside_what_must_be_done_first_is_asked_back(tmp_path: Path, beside: View) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(json.dumps({**APPROVED, **beside}))
    assert (said.code, said.error) == (2, "report_refused") and "which holds?" in said.err
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("name", ["required_changes", "changes_requested", "must_fix"])
def test_changes_that_an_approval_requires_are_asked_for(tmp_path: Path, name: str) -> None:
    said = Desk(tmp_path, "review").says(json.dumps({**APPROVED, name: ["rename it"]}))
    assert said["column"] == "fix" and "rename it" in json.dumps(said["findings"])


@pytest.mark.ledger("R-22")
@pytest.mark.parametrize(
    "beside",
    [
        {"required_changes": [], "conditions": "none", "open_questions": ["none"]},
        {"history": [{"iteration": 1, "status": "needs_fixes"}]},
        {"previous_review": {"status": "needs_fixes"}},
        {"previous_issues": [{"issue": "rename it", "status": "verified"}, {"issue": "test it", "fixed": True}]},
        {"pull_request": {"title": "Reset", "state": "open"}},
        {"known_issues": [{"issue": "slow on old machines", "status": "not fixed"}]},
        {"minor_issues": ["rename it"]},
        {"needs_human_review": False, "no_changes_required": True},
        {"summary": "Approved. If it grows, split it."},
        {"summary": "After the two issues were fixed this is approved."},
        {"summary": "Once the data is corrected the order is approved, as the spec says."},
    ],
    ids=str,
)
def test_an_approval_beside_what_is_over_or_nothing_holds(tmp_path: Path, beside: View) -> None:
    assert Desk(tmp_path, "review").says(json.dumps({**APPROVED, **beside}))["status"] == "done"


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("heading", ["Issues", "Required Changes", "Blocking Issues", "Must Fix"])
@pytest.mark.parametrize(
    "form", ["Status: approved\n{}:\n- rename it\n", "## Status\nApproved\n\n## {}\n- rename it\n"]
)
def test_so_it_is_in_lines_and_in_a_form(tmp_path: Path, form: str, heading: str) -> None:
    desk = Desk(tmp_path, "review")
    said = desk.tries(form.replace("{}", heading))
    assert said.code == 2 and ("it names 1 open issue" in said.err or "a line of its own is no report" in said.err)
    if heading == "Issues":
        assert desk.says(form.replace("{}", heading).replace("- ", "- Low: "))["status"] == "done", "a remark"


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("word", ["!approved", "approved?", "~~approved~~"])
@pytest.mark.parametrize(
    "form", ["Returns: {status: {}}", '{"status": "{}"}', "## Status\n{}\n", "Status: {}\nBy: me\n"]
)
def test_a_verdict_that_is_denied_or_doubted_is_none(tmp_path: Path, form: str, word: str) -> None:
    desk = Desk(tmp_path, "review")
    assert desk.tries(form.replace("{}", word, 1) if "{}" in form else form).code == 2
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-22", "R-32")
def test_a_condition_before_the_return_is_asked_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "review")
    words = "Once the two issues below are fixed this is approved:\n\n- a.py:1 no hash\n- b.py:2 no test\n\n"
    said = desk.tries(words + '{"status": "approved"}')
    assert said.code == 2 and "which holds?" in said.err
    assert desk.moot("show", "1")["column"] == "review"


@pytest.mark.ledger("R-32")
def test_a_fixer_that_counts_what_is_left_is_asked_about_that(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "fix")
    said = desk.tries('{"status": "fixes_applied", "fixed": 1, "remaining": 1, "notes": "the second is no fault"}')
    assert said.code == 2 and "it names 1 open issue: which holds?" in said.err
    after = desk.says('{"status": "fixes_applied", "fixed": 2, "remaining": 0, "notes": "both had one cause"}')
    assert after["column"] == "review"


@pytest.mark.ledger("H-09", "R-32")
@pytest.mark.parametrize(
    "beside", [{"escalate": True}, {"questions": ["JWT or Session?"]}, {"human_review_required": "yes"}]
)
def test_a_maker_that_wants_a_person_is_asked_how_it_is_meant(tmp_path: Path, beside: View) -> None:
    desk = Desk(tmp_path, "build")
    said = desk.tries(json.dumps({"status": "completed", "commit": "abc123", **beside}))
    assert said.code == 2 and "it asks a person" in said.err


@pytest.mark.ledger("R-26", "R-12")
@pytest.mark.parametrize("returns", ["{status: blocked}", "{status: completed}"])
def test_a_handoff_that_is_printed_as_rejected_is_not_passed_over(tmp_path: Path, returns: str) -> None:
    desk = Desk(tmp_path, "build")
    handed: View = {"type": "task_handoff", "from": "planner", "to": "builder", "status": "rejected"}
    handed["payload"] = {"reason": "it has no error cases"}
    text = f"I reject the handoff.\n\n```json\n{json.dumps(handed)}\n```\n\nReturns: {returns}\n"
    said = desk.tries(text)
    assert said.code == 2 and "the task_handoff that it was handed the status 'rejected'" in said.err
    desk.moot.hand_in(desk.claimed, text, "--final")
    assert desk.knows("it has no error cases"), "as the last word of a process it is told on"


@pytest.mark.ledger("H-08", "H-09", "R-32")
def test_a_failure_that_wants_a_person_is_not_only_tried_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "build")
    said = {"status": "failed", "summary": "the disk is full", "escalate": True}
    refused = desk.tries(json.dumps(said))
    assert refused.code == 2 and "it asks a person in words ('escalate: yes')" in refused.err
    desk.moot.hand_in(desk.claimed, json.dumps(said), "--final")
    (asked,) = desk.moot("inbox")["questions"]
    assert "the disk is full" in asked["question"]
