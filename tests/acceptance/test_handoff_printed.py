"""The handoff document's agents print their handoff where they return their result: each message is sent, none is lost.

`3. PLANNER: Creates handoff to BUILDER, Returns: {status: completed, spec: "specs/..."}` and so on to its end.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board

View = dict[str, Any]
# The document's envelope, with a value in each place.
ENVELOPE: View = {
    "schema_version": "1.0.0",
    "message_id": "6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4",
    "timestamp": "2024-01-01T10:00:00Z",
    "from": "reviewer",
    "to": "fixer",
    "type": "fix_request",
    "priority": "high",
    "payload": {"issues": ["no rate limit", "no test"]},
    "context": {"workflow": "feature", "spec": "specs/20240101-feature.md", "iteration": 1},
    "status": "pending",
}
# As the document prints it.
ESCALATION = """{
  "type": "escalation",
  "from": "builder",
  "to": "orchestrator",
  "payload": {
    "reason": "spec_ambiguity",
    "details": "Cannot determine auth method",
    "options": ["JWT", "Session", "OAuth"],
    "context": "spec line 45",
    "blocking": true
  }
}"""
# Role, what it hands over, what it returns in the document, and where the item is then.
STEPS = [
    ("planner", {"to": "builder", "type": "task_handoff"}, '{status: completed, spec: "specs/..."}', "build"),
    ("builder", {"to": "reviewer", "type": "review_request"}, '{status: completed, commit: "abc123"}', "review"),
    ("reviewer", {"to": "fixer", "type": "fix_request"}, "{status: needs_fixes, issues: 2}", "fix"),
    ("fixer", {"to": "reviewer", "type": "rereview_request"}, "{status: fixes_applied}", "review"),
    ("reviewer", None, "{status: approved}", "done"),
]


def board(folder: Path, column: str | None = None) -> Moot:
    moot = new_board(folder, "handoff")
    moot("add", "Add user auth", *(["--column", column] if column else []))
    return moot


def printed(message: View | str, returns: str) -> str:
    text = message if isinstance(message, str) else json.dumps(message, indent=2)
    return f"I have done my part.\n\n```json\n{text}\n```\n\n- Returns: {returns}\n"


def sent(moot: Moot, kind: str) -> list[View]:
    return [message for message in moot("messages")["messages"] if message["type"] == kind]


@pytest.mark.ledger("H-02", "H-13", "H-14")
def test_the_example_flow_with_every_handoff_printed_in_its_report(tmp_path: Path) -> None:
    moot = board(tmp_path)
    for number, (agent, handed, returns, column) in enumerate(STEPS):
        claim = moot("claim", agent)
        if handed is None:
            item = moot.hand_in(claim, f"- Returns: {returns}\n")
        else:
            own = f"6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f{number}"
            message = {**ENVELOPE, **handed, "from": agent, "message_id": own}
            item = moot.hand_in(claim, printed(message, returns))
            (found,) = sent(moot, handed["type"])
            assert (found["message_id"], found["priority"], found["to"]) == (own, "high", handed["to"])
            assert found["payload"] == ENVELOPE["payload"] and found["timestamp"] == ENVELOPE["timestamp"]
        assert item["column"] == column
    assert item["status"] == "done" and moot("doctor")["ok"]


@pytest.mark.ledger("R-22", "R-32")
def test_a_reviewer_who_prints_a_fix_request_and_approves_is_asked_which_holds(tmp_path: Path) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    refused = moot.try_in(claim, printed(ENVELOPE, "{status: approved}"))
    assert (refused.code, refused.error) == (2, "report_refused")
    assert "it says approved, and it holds a fix_request: which holds?" in refused.err
    assert not sent(moot, "fix_request") and moot("show", "1")["status"] == "running"
    assert moot.hand_in(claim, printed(ENVELOPE, "{status: needs_fixes, issues: 2}"))["column"] == "fix"
    assert "no rate limit" in json.dumps(moot("claim", "fixer")["brief"]["messages"])


@pytest.mark.ledger("R-22", "H-10")
def test_a_reviewer_who_is_completed_means_what_it_hands_over(tmp_path: Path) -> None:
    moot = board(tmp_path, "review")
    item = moot.speak("reviewer", printed(ENVELOPE, "{status: completed}"))
    assert item["column"] == "fix" and len(item["findings"]) == 2
    assert len(sent(moot, "fix_request")) == 1 and moot("doctor")["ok"]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("returns", ["{status: approved}", "{status: completed}"])
def test_as_the_last_word_of_a_process_the_fix_holds(tmp_path: Path, returns: str) -> None:
    moot = board(tmp_path, "review")
    item = moot.speak("reviewer", printed(ENVELOPE, returns), "--final")
    assert (item["column"], item["runs"][-1]["outcome"]) == ("fix", "changes_requested")


@pytest.mark.ledger("R-22", "H-10")
@pytest.mark.parametrize(
    "said",
    [
        "Returns: {status: fixes_applied}",
        "Returns: {status: completed}",
        json.dumps({"type": "completion", "from": "reviewer", "to": "orchestrator", "payload": {}}),
    ],
)
def test_a_reviewers_verdict_must_be_one(tmp_path: Path, said: str) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    refused = moot.try_in(claim, said)
    assert (refused.code, refused.error) == (2, "report_refused")
    assert "nothing about the work that was looked at: report approved, or needs_fixes" in refused.err
    assert moot.hand_in(claim, "Returns: {status: approved}")["status"] == "done"


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("issues", ["2", '["no rate limit", "no test"]', '"no rate limit"', '[{"issue": "no test"}]'])
def test_approved_beside_open_issues_is_one_rule_in_every_shape(tmp_path: Path, issues: str) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    refused = moot.try_in(claim, f'{{"status": "approved", "issues": {issues}}}')
    assert (refused.code, refused.error) == (2, "report_refused")
    assert "it says approved, and it names" in refused.err and "which holds?" in refused.err
    remark = '{"status": "approved", "issues": [{"issue": "a name", "severity": "low"}]}'
    assert moot.hand_in(claim, remark)["status"] == "done"


@pytest.mark.ledger("H-09")
def test_the_documents_escalation_printed_beside_a_result_asks(tmp_path: Path) -> None:
    moot = board(tmp_path, "build")
    item = moot.speak("builder", printed(ESCALATION, '{status: completed, commit: "abc123"}'))
    assert item["status"] == "awaiting-divine-guidance"
    (asked,) = moot("inbox")["questions"]
    assert [option["option"] for option in asked["options"]] == ["JWT", "Session", "OAuth"]


@pytest.mark.ledger("H-09", "R-17")
def test_an_escalation_that_blocks_nothing_lets_the_result_count(tmp_path: Path) -> None:
    moot = board(tmp_path, "build")
    named = f'"message_id": "{ENVELOPE["message_id"]}", "type"'
    beside = ESCALATION.replace("true", "false").replace('"type"', named)
    item = moot.speak("builder", printed(beside, '{status: completed, commit: "abc123"}'))
    assert (item["column"], item["status"]) == ("review", "ready")
    (told,), (asked,) = sent(moot, "completion"), sent(moot, "escalation")
    assert told["payload"]["status"] == "completed" and asked["message_id"] == ENVELOPE["message_id"]
    assert [one["question"] for one in moot("inbox")["questions"]] == ["Cannot determine auth method"]
    assert (asked["payload"]["reason"], asked["payload"]["context"]) == ("spec_ambiguity", "spec line 45")


IN_A_LIST = ["{}", "I have done my part.\n\n```json\n{}\n```\n"]


@pytest.mark.ledger("H-02", "H-10", "R-32")
@pytest.mark.parametrize("around", IN_A_LIST)
def test_messages_and_the_return_in_one_list_count_as_one_after_the_other(tmp_path: Path, around: str) -> None:
    moot = board(tmp_path, "build")
    asks = json.loads(ESCALATION.replace("true", "false"))
    hands = {"type": "review_request", "from": "builder", "to": "reviewer", "payload": {"commit": "abc123"}}
    said = json.dumps([asks, hands, {"status": "completed"}], indent=2)
    assert moot.speak("builder", around.replace("{}", said))["column"] == "review"
    (asked,) = moot("inbox")["questions"]
    assert "[" not in asked["context"] and [one["payload"] for one in sent(moot, "review_request")] == [
        hands["payload"]
    ]
    said = json.dumps([ENVELOPE, {"status": "needs_fixes", "issues": 2}])
    item = moot.speak("reviewer", around.replace("{}", said))
    assert item["column"] == "fix" and len(item["findings"]) == 2


@pytest.mark.ledger("H-01", "R-26")
def test_an_envelope_that_is_the_report_keeps_all_it_says_of_itself(tmp_path: Path) -> None:
    moot = board(tmp_path)
    around = {"from": "planner", "to": "orchestrator", "type": "completion", "priority": "critical"}
    context = {**ENVELOPE["context"], "workflow": "bugfix"}
    item = moot.speak("planner", {**ENVELOPE, **around, "context": context, "payload": {"status": "completed"}})
    assert (item["column"], item["priority"], item["type"]) == ("build", "critical", "bugfix")
    (told,) = sent(moot, "completion")
    assert (told["message_id"], told["priority"]) == (ENVELOPE["message_id"], "critical")
    assert (told["timestamp"], told["context"]["workflow"]) == (ENVELOPE["timestamp"], "bugfix")
    (handed,) = sent(moot, "task_handoff")
    assert (handed["priority"], handed["context"]["workflow"]) == ("critical", "bugfix")
    asks = {**json.loads(ESCALATION), "message_id": ENVELOPE["message_id"][:-1] + "5", "priority": "high"}
    moot.speak("builder", asks)
    (asked,) = sent(moot, "escalation")
    assert (asked["message_id"], asked["priority"]) == (asks["message_id"], "high")


@pytest.mark.ledger("H-02", "R-26")
def test_a_completion_that_is_sent_says_that_it_ends_nothing(tmp_path: Path) -> None:
    moot = board(tmp_path, "review")
    message = {"type": "completion", "from": "reviewer", "to": "orchestrator", "payload": {"status": "approved"}}
    outside = moot("send", "-", stdin=json.dumps(message))
    assert "ends nothing" in outside["note"] and "until a run of reviewer claims it and reports" in outside["note"]
    claim = moot("claim", "reviewer")
    inside = moot("send", "-", "--run", claim["run"], "--token", str(claim["token"]), stdin=json.dumps(message))
    assert inside["note"].endswith("which goes on with this run's report")
    assert moot("show", "1")["status"] == "running"
    assert moot.hand_in(claim, "{status: completed}")["status"] == "done", "it stands as its last message says"


@pytest.mark.ledger("H-02", "R-26")
def test_who_hands_its_own_work_on_outside_of_a_run_is_told_that_it_has_not_ended(tmp_path: Path) -> None:
    moot = board(tmp_path, "build")
    message = {"type": "review_request", "from": "builder", "to": "reviewer", "payload": {"commit": "abc123"}}
    told = moot("send", "-", stdin=json.dumps(message))["note"]
    assert "item 1 stays in build until a run of builder claims it and reports" in told
    claim = moot("claim", "builder")
    inside = ("--run", claim["run"], "--token", str(claim["token"]))
    assert not moot("send", "-", *inside, stdin=json.dumps(message)).get("note"), "its report is still to come"


@pytest.mark.ledger("R-32")
def test_what_was_sent_and_what_is_reported_may_not_contradict_each_other(tmp_path: Path) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    inside = ("--run", claim["run"], "--token", str(claim["token"]))
    moot("send", "-", *inside, stdin=json.dumps(ENVELOPE))
    refused = moot.try_in(claim, "{status: approved}")
    assert "it says approved, and it has sent a fix_request: which holds?" in refused.err
    taken_back = {"type": "completion", "to": "orchestrator", "payload": {"status": "approved"}}
    moot("send", "-", *inside, stdin=json.dumps(taken_back))
    assert moot.hand_in(claim, "{status: approved}")["status"] == "done"
    assert [message["status"] for message in sent(moot, "fix_request")] == ["rejected"] and moot("doctor")["ok"]
