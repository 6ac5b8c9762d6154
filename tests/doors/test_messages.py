"""The message protocol and `dispatch`, through the command line."""

import json
from typing import Any

import pytest

from folkmoot.doors.cli.render.messages import round_of
from tests.doors.conftest import Moot


@pytest.fixture
def handoff(nowhere: Moot) -> Moot:
    nowhere("init", "--preset", "handoff")
    return nowhere


def send(moot: Moot, envelope: dict[str, Any], code: int = 0) -> Any:
    answer = moot("send", "-", "--json", stdin=json.dumps(envelope), code=code)
    return answer.json if code == 0 else answer.error


@pytest.mark.ledger("H-03")
def test_a_message_goes_from_pending_to_completed_and_never_back(handoff: Moot) -> None:
    sent = send(handoff, {"from": "planner", "to": "builder", "type": "task_handoff", "payload": {"title": "X"}})
    assert sent["status"] == "pending" and sent["schema_version"] and sent["item"] == "1"
    number = sent["message_id"]
    assert handoff.json("messages", "--to", "builder", "--status", "pending")["messages"] == [sent]
    refused = handoff("accept", number, "--json", code=1).error
    assert refused["code"] == "not_for_you" and f"moot accept {number} --as builder" in refused["hint"]
    assert handoff("complete", number, "--json", code=1).error["code"] == "not_accepted"
    assert f"{number} accepted" in handoff("accept", number, "--as", "BUILDER").out
    assert handoff("accept", number, "--as", "builder", "--json", code=1).error["code"] == "message_over"
    assert handoff.json("complete", number)["status"] == "completed"
    refused = handoff("reject", number, "--why", "late", "--json", code=1).error
    assert refused["code"] == "message_over" and "never backwards" in refused["hint"]
    assert "planner → builder  task_handoff about #1, completed" in handoff("messages").out
    assert "No message" in handoff("messages", "--to", "fixer").out


def test_a_rejected_message_says_why(handoff: Moot) -> None:
    number = send(handoff, {"from": "planner", "to": "builder", "type": "task_handoff"})["message_id"]
    assert handoff.json("reject", number, "--why", "no limits")["why"] == "no limits"
    assert "no limits" in handoff("messages", "--status", "rejected").out
    assert handoff("reject", number, "--why", " ", "--json", code=2).error["code"] == "bad_usage"
    assert handoff("accept", "nothing", "--json", code=2).error["code"] == "unknown_message"


@pytest.mark.ledger("H-01")
def test_a_wrong_envelope_is_refused_by_field(handoff: Moot) -> None:
    error = send(handoff, {"to": "builder", "type": "task_handoff", "priority": "urgent"}, 2)
    assert error["code"] == "bad_message" and "from: missing" in error["message"] and "priority" in error["message"]
    done = {"from": "planner", "to": "builder", "type": "task_handoff", "status": "completed"}
    assert "status" in send(handoff, done, 2)["message"]
    refused = send(handoff, {"from": "fixer", "to": "builder", "type": "task_handoff"}, 1)
    assert refused["code"] == "may_not_send" and "planner" in refused["hint"]
    assert handoff("send", "--json", code=2).error["code"] == "bad_usage"


@pytest.mark.ledger("H-01")
def test_the_schema_of_the_envelope_is_published(nowhere: Moot) -> None:
    schema = nowhere("send", "--schema").json
    assert schema["required"] == ["from", "to", "type"]
    names = "schema_version message_id timestamp from to type priority payload context status"
    assert set(schema["properties"]) == set(names.split())


@pytest.mark.ledger("H-09", "E-15")
def test_an_escalation_is_shown_as_the_question_it_is(handoff: Moot) -> None:
    handoff("add", "Users can log in")
    claim = handoff.json("claim", "planner")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    payload = {"reason": "spec_ambiguity", "details": "Cannot determine auth method", "options": ["JWT", "OAuth"]}
    said = {"from": "planner", "to": "orchestrator", "type": "escalation", "payload": payload}
    out = handoff("send", "-", stdin=json.dumps(said), env=inside).out
    assert "WAITING FOR YOU\n\nAgent: planner\nTask: 1\nQuestion: Cannot determine auth method\n" in out
    assert [o["option"] for o in handoff.json("inbox")["questions"][0]["options"]] == ["JWT", "OAuth"]


def with_urgency(sender: str, kind: str, payload: dict[str, Any], **more: str) -> dict[str, Any]:
    around = {"schema_version": "1.0.0", "from": sender, "to": "orchestrator", "type": kind, "priority": "critical"}
    return {**around, "payload": payload, **more}


@pytest.mark.ledger("H-01", "H-09")
@pytest.mark.parametrize(("command", "beside"), [("report", ""), ("report", '{"status": "completed"}'), ("send", "")])
def test_how_urgent_an_escalation_is_stands_before_the_person(handoff: Moot, command: str, beside: str) -> None:
    handoff("add", "Users can log in")
    claim = handoff.json("claim", "planner")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    payload = {"details": "The migration deletes rows", "options": ["Ship", "Wait"], "blocking": not beside}
    said = json.dumps(with_urgency("planner", "escalation", payload))
    handoff(command, "-", stdin=f"{said}\n{beside}", env=inside)
    assert handoff.json("inbox")["questions"][0]["context"] == "priority: critical"
    assert "priority: critical" in handoff("inbox").out


@pytest.mark.ledger("H-01")
def test_whoever_goes_on_is_told_how_urgent_a_report_is_that_hands_nothing_over(handoff: Moot) -> None:
    handoff("add", "Users can log in", "--column", "review")
    payload = {"status": "needs_fixes", "issues": ["Token never expires"]}
    handoff.tell("reviewer", with_urgency("reviewer", "completion", payload, status="completed"))
    before = handoff.json("claim", "fixer")["brief"]["previous"]
    assert before["in its own words"]["priority"] == "critical", before


@pytest.fixture
def pipeline(nowhere: Moot) -> Moot:
    nowhere("init", "--preset", "pipeline")
    nowhere("add", "Feature X", "--column", "test")
    return nowhere


@pytest.mark.ledger("P-02")
def test_a_run_dispatches_another_agent_and_goes_on(pipeline: Moot) -> None:
    claim = pipeline.json("claim", "test-executor")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    answer = pipeline("dispatch", "implementer", "Fix the check\n\nIn line 42.", "--json", env=inside)
    item = answer.json
    assert (item["kind"], item["agent"], item["title"]) == ("dispatch", "implementer", "Fix the check")
    assert item["purpose"] == "fix" and pipeline.json("show", "1")["status"] == "running"
    words = pipeline("dispatch", "implementer", "-", "--purpose", "question", stdin="Which limit?", env=inside).out
    assert "#3 added for implementer" in words and "Which limit?" in words
    assert "dispatched by #1 for implementer (question)" in " ".join(pipeline("show", "3").out.split())
    assert "dispatched" in pipeline("board").out


@pytest.mark.ledger("P-02")
@pytest.mark.parametrize("purpose", ["coordination", "conflict_resolution", "pipeline_state"])
def test_what_is_for_the_rules_is_not_dispatched(pipeline: Moot, purpose: str) -> None:
    claim = pipeline.json("claim", "test-executor")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    refused = pipeline("dispatch", "implementer", "x", "--purpose", purpose, "--json", code=1, env=inside).error
    assert refused["code"] == "not_for_dispatch" and "report" in refused["hint"]
    assert pipeline("dispatch", "nobody", "x", "--json", code=2, env=inside).error["code"] == "unknown_agent"


@pytest.mark.ledger("R-26")
def test_the_board_shows_what_waits_for_its_receiver_about_no_item(handoff: Moot) -> None:
    sent = send(handoff, {"from": "Builder", "to": "reviewer", "type": "review_request"})
    words = handoff("board").out
    assert "review_request from builder waits for reviewer" in words
    assert f"moot accept {sent['message_id']} --as reviewer" in words.replace("\n   ", " ")
    handoff("accept", sent["message_id"], "--as", "reviewer")
    handoff("complete", sent["message_id"])
    assert "waits for reviewer" not in handoff("board").out


@pytest.mark.ledger("H-01", "R-27")
def test_inside_of_a_run_a_message_is_from_its_agent(handoff: Moot) -> None:
    handoff("add", "Users can log in")
    claim = handoff.json("claim", "Planner")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    said = {"to": "BUILDER", "type": "task_handoff", "payload": {"spec": "specs/a.md"}}
    sent = handoff("send", "-", "--json", stdin=json.dumps(said), env=inside).json
    assert (sent["from"], sent["to"], sent["item"]) == ("planner", "builder", "1")
    other = handoff("send", "-", "--json", stdin=json.dumps({**said, "from": "fixer"}), code=1, env=inside).error
    assert other["code"] == "not_the_sender"


def test_what_asks_a_person_is_completed_by_the_answer_alone(handoff: Moot) -> None:
    handoff("add", "Users can log in")
    said = {"from": "planner", "to": "orchestrator", "type": "escalation", "payload": {"details": "Which login?"}}
    number = send(handoff, said)["message_id"]
    for words in (("accept", number, "--as", "orchestrator"), ("complete", number), ("reject", number, "--why", "x")):
        refused = handoff(*words, "--json", code=1).error
        assert refused["code"] == "awaits_answer" and "moot answer q1" in refused["hint"]
    handoff("answer", "q1", "JWT")
    assert handoff.json("messages")["messages"][0]["status"] == "completed"


@pytest.mark.ledger("R-26", "H-03")
def test_a_message_about_no_item_is_in_the_inbox_until_it_is_taken_up(handoff: Moot) -> None:
    assert handoff("inbox", "--json", code=3).error["code"] == "no_question"
    message = {"from": "builder", "to": "reviewer", "type": "review_request", "payload": {"commit": "abc123"}}
    sent = handoff.json("send", "-", stdin=json.dumps(message))
    told = handoff.json("inbox")
    assert told["questions"] == [] and [one["message_id"] for one in told["messages"]] == [sent["message_id"]]
    out = handoff("inbox").out
    assert "1 message about no item" in out and "abc123" in out
    assert "review_request from builder waits for reviewer" in out
    assert f"moot accept {sent['message_id']} --as reviewer" in " ".join(out.split())
    handoff("accept", sent["message_id"], "--as", "reviewer")
    assert handoff("inbox", "--json", code=3).error["code"] == "no_question"


ROUNDS = [
    ({"round": 2, "max_rounds": 3}, ", round 2 of 3"),
    ({"round": 2}, ", round 2"),
    ({"max_rounds": 3}, ", at most 3 rounds"),
    ({"phase": 2, "round": 1}, ", phase 2, round 1"),
    ({"phase": "Phase 2"}, ", Phase 2"),
    ({"round": True, "max_rounds": None, "phase": []}, ""),
    ({}, ""),
]


@pytest.mark.ledger("P-06", "P-10")
@pytest.mark.parametrize(("payload", "words"), ROUNDS)
def test_the_senders_own_count_stands_beside_its_message(payload: dict[str, Any], words: str) -> None:
    assert round_of(payload) == words
