"""The handoff document's agents and people beside the reports: what they send, answer, accept and complete."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_handoff_returns import Desk
from tests.documents import ESCALATION


@pytest.mark.parametrize("returns", ["{status: needs_fixes, issues: 1}", '{"status":"needs_fixes"}'])
def test_a_fix_request_about_one_issue_tells_it(tmp_path: Path, returns: str) -> None:
    desk = Desk(tmp_path, "review")
    payload = {"issue": "password logged", "severity": "high", "file": "auth.py", "line": 10}
    message = {"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": payload}
    run, token = desk.claimed["run"], str(desk.claimed["token"])
    desk.moot("send", "-", "--run", run, "--token", token, stdin=json.dumps(message))
    item = desk.says(returns)
    assert item["column"] == "fix"
    found = [(one["issue"], one["severity"], one["file"], one["line"]) for one in item["findings"]]
    assert found == [("password logged", "high", "auth.py", 10)]


def test_the_answer_fix_it_says_that_rounds_begin_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "fix")
    for number in (2, 3):
        desk.says("{status: fixes_applied}")
        desk.claim("reviewer")
        desk.says(f'{{"status":"needs_fixes","issues":["still x in round {number}"]}}')
        if number == 2:
            desk.claim("fixer")
    (question,) = desk.moot("inbox")["questions"]
    (fix,) = [one for one in question["options"] if one["option"] == "fix it"]
    assert "its rounds are counted from 1 again" in fix["does"]


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        ("2) Session", "Session"),
        ("2. Session", "Session"),
        ("(2) Session", "Session"),
        ("2 - Session", "Session"),
        ("option 2: Session", "Session"),
        ("1: JWT", "JWT"),
        ("2) Session, with cookies", "Session, with cookies"),
        ("2, with cookies", "Session, with cookies"),
    ],
)
def test_a_number_and_its_option_are_that_option(tmp_path: Path, answer: str, heard: str) -> None:
    desk = Desk(tmp_path, "build")
    desk.says(json.dumps(ESCALATION))
    desk.moot("answer", "q1", answer)
    assert [one["answer"] for one in desk.moot("show", "1")["guidance"]] == [heard]


@pytest.mark.parametrize(("column", "own"), [("fix", "fixes_applied"), ("build", "completed"), ("plan", "completed")])
@pytest.mark.parametrize("text", ["{status: approved}", "Returns: approved", '{"status": "approved"}'])
def test_who_makes_does_not_approve(tmp_path: Path, column: str, own: str, text: str) -> None:
    desk = Desk(tmp_path, column)
    said = desk.tries(text)
    assert said.code == 2 and f"report {own}" in said.err
    assert desk.moot("show", "1")["column"] == column


def test_two_specs_are_asked_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "plan")
    said = desk.tries('{"status":"completed","spec":["specs/a.md","specs/b.md"]}')
    assert said.code == 2 and "spec is a list of 2, and an item has one" in said.err
    item = desk.says('{"status":"completed","spec":["specs/a.md"],"artifacts":["specs/b.md"]}')
    assert item["spec"] == "specs/a.md"


def test_a_handoff_completed_by_hand_warns_and_stays_in_the_brief_of_its_stage(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "plan")
    message = {"from": "planner", "to": "builder", "type": "task_handoff", "payload": {"notes": "Use argon2"}}
    run, token = desk.claimed["run"], str(desk.claimed["token"])
    sent = desk.moot("send", "-", "--run", run, "--token", token, stdin=json.dumps(message))["message_id"]
    desk.says('{status: completed, spec: "specs/a.md"}')
    desk.moot("accept", sent, "--as", "builder")
    done = desk.moot("complete", sent, "--as", "builder")
    assert "a message ends nothing: item 1 stays in build until a run of builder claims it and reports" in done["note"]
    assert "Use argon2" in json.dumps(desk.claim("builder"))
    desk.says('{status: completed, commit: "abc123"}')
    assert "Use argon2" not in json.dumps(desk.claim("reviewer")["brief"]["messages"])


def test_the_board_is_sound_after_a_handoff_that_makes_an_item(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "plan")
    context = {"workflow": "feature", "spec": "specs/b.md"}
    message = {
        "from": "planner",
        "to": "builder",
        "type": "task_handoff",
        "payload": {"title": "B"},
        "context": context,
    }
    desk.moot("send", "-", "--as", "planner", stdin=json.dumps(message))
    assert desk.moot("show", "2")["title"] == "B"
    assert desk.moot("doctor")["ok"]


def test_who_works_on_two_items_is_asked_which_of_them_a_fix_request_is_about(tmp_path: Path) -> None:
    """Bound to none it waited on the board, and the review that it belonged to ended as an approval."""
    desk = Desk(tmp_path, "review")
    desk.moot("add", "Reset a password", "--column", "review")
    desk.claim("reviewer")
    message = {"from": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": ["password logged"]}}
    said = desk.moot.say("send", "-", "--as", "reviewer", stdin=json.dumps(message))
    assert said.error == "which_item" and "reviewer works on items 1, 2" in said.err
    sent = desk.moot("send", "-", "--as", "reviewer", stdin=json.dumps({**message, "context": {"item": "2"}}))
    assert sent["item"] == "2"
    escalation = desk.moot("send", "-", "--as", "builder", stdin=json.dumps(ESCALATION))
    assert escalation["status"] == "pending", "a person is asked all the same"
