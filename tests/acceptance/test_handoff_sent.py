"""What the handoff document's agents send, close to its form: each means what its author meant, or is asked back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board

View = dict[str, Any]
# The document's envelope, with a value in each place.
ENVELOPE: View = {
    "schema_version": "1.0.0",
    "timestamp": "2024-01-01T10:00:00Z",
    "from": "planner",
    "to": "builder",
    "type": "task_handoff",
    "priority": "high",
    "payload": {},
    "context": {"workflow": "bugfix", "spec": "specs/20240101-feature.md", "iteration": 1},
    "status": "pending",
}


def board(folder: Path, column: str | None = None) -> Moot:
    moot = new_board(folder, "handoff")
    moot("add", "Add user auth", *(["--column", column] if column else []))
    return moot


def inside(claim: View) -> list[str]:
    return ["--run", claim["run"], "--token", str(claim["token"])]


def send(moot: Moot, claim: View, message: View) -> View:
    return moot("send", "-", *inside(claim), stdin=json.dumps(message))


def place(view: View) -> tuple[str, str]:
    return view["column"], view["status"]


@pytest.mark.ledger("H-01", "H-07", "H-14")
def test_the_builder_gets_spec_workflow_and_priority_of_the_handoff(tmp_path: Path) -> None:
    """`PLANNER: Creates spec, Creates handoff to BUILDER, Returns: {status: completed}`"""
    moot = board(tmp_path)
    claim = moot("claim", "planner")
    assert send(moot, claim, ENVELOPE)["item"] == "1"
    item = moot.hand_in(claim, "{status: completed}")
    assert (item["spec"], item["type"], item["priority"]) == ("specs/20240101-feature.md", "bugfix", "high")
    brief = moot("claim", "builder")["brief"]
    assert brief["task"]["spec"] == "specs/20240101-feature.md"
    (message,) = brief["messages"]
    assert (message["priority"], message["context"]["workflow"]) == ("high", "bugfix")
    for event in moot.events("1")[-1:]:
        assert (event["context"]["workflow"], event["context"]["spec"]) == ("bugfix", "specs/20240101-feature.md")
    assert moot("doctor")["ok"]


COMPLETION: View = {**ENVELOPE, "from": "reviewer", "to": "orchestrator", "type": "completion"}


@pytest.mark.ledger("R-22", "H-14", "R-26")
@pytest.mark.parametrize(
    "payload",
    [
        {"status": "needs_fixes", "issues": ["no rate limit", "no test"]},
        {"status": "rejected", "issues": ["no rate limit", "no test"]},
        {"status": "Needs Fixes", "summary": "no rate limit, no test"},
    ],
)
def test_a_reviewer_whose_completion_says_no_does_not_approve(tmp_path: Path, payload: View) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    sent = send(moot, claim, {**COMPLETION, "payload": payload})
    assert sent["payload"] == payload and sent["context"].items() >= ENVELOPE["context"].items()
    assert place(moot.hand_in(claim, "{status: completed}")) == ("fix", "ready")
    told = json.dumps(moot("claim", "fixer")["brief"])
    assert "no rate limit" in told and "no test" in told


@pytest.mark.ledger("R-22", "R-32")
def test_a_builder_whose_completion_says_no_is_asked_which_of_the_two_holds(tmp_path: Path) -> None:
    moot = board(tmp_path, "build")
    claim = moot("claim", "builder")
    send(moot, claim, {**COMPLETION, "from": "builder", "payload": {"status": "failed", "summary": "no schema"}})
    said = moot.try_in(claim, '{status: completed, commit: "abc123"}')
    assert (said.code, said.error) == (2, "report_refused") and "says 'failed'" in said.err
    assert moot.report(claim, "failed", summary="no schema")["column"] == "build"


@pytest.mark.ledger("H-01", "R-26")
@pytest.mark.parametrize("status", ["rejected", "completed", "accepted"])
def test_the_state_of_an_envelope_is_not_the_senders_to_say(tmp_path: Path, status: str) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    said = moot.say("send", "-", *inside(claim), stdin=json.dumps({**COMPLETION, "status": status}))
    assert (said.code, said.error) == (2, "bad_message")
    assert f"not {status}" in said.err and "payload.status" in said.err and "moot report" in said.err


@pytest.mark.ledger("H-01", "R-26")
def test_a_reported_completion_keeps_its_context_and_the_status_of_its_payload(tmp_path: Path) -> None:
    moot = board(tmp_path, "build")
    message = {**COMPLETION, "from": "builder", "payload": {"status": "completed", "commit": "abc123"}}
    item = moot.speak("builder", message)
    assert (place(item), item["spec"]) == (("review", "ready"), "specs/20240101-feature.md")
    told = next(m for m in moot("messages")["messages"] if m["type"] == "completion")
    assert (told["payload"]["status"], told["payload"]["commit"]) == ("completed", "abc123")
    assert told["context"].items() >= ENVELOPE["context"].items()


@pytest.mark.ledger("H-14", "R-14")
def test_issues_of_the_fix_request_and_of_the_report_are_united(tmp_path: Path) -> None:
    moot = board(tmp_path, "review")
    claim = moot("claim", "reviewer")
    message = {**ENVELOPE, "from": "reviewer", "to": "fixer", "type": "fix_request"}
    send(moot, claim, {**message, "payload": {"issues": ["no rate limit", {"issue": "no test", "file": "a.py"}]}})
    item = moot.hand_in(claim, '{"status": "needs_fixes", "issues": ["no test", "leak"]}')
    assert place(item) == ("fix", "ready")
    assert sorted(found["issue"] for found in item["findings"]) == ["leak", "no rate limit", "no test"]
