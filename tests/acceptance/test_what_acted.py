"""What `moot report` answers to the documents' own words: what was taken up, what is told on, what had no effect."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import CONCERN, FAILURES, REVIEW

ATTEMPT = """ATTEMPT 1: Self-Solve
Approach: parse the key with the standard library
Outcome: red, the curve is another one
Why Different: it is the first
"""
FORM = """## Summary
Implemented feature X

## Changes Made
- handlers/feature.go: the handler
- tests/feature_test.go: its tests

## Issues Found (if applicable)
- Low: a name could be better

## Next Steps (if applicable)
- Review the handler

## Status
- [x] Complete / [ ] Needs follow-up / [ ] Blocked
"""
FOLLOW_UP = """## Summary
The handler is there, its tests are not

## Status
- [ ] Complete / [x] Needs follow-up / [ ] Blocked
"""
DELEGATE = """{
  "decision": "delegate",
  "subAgents": [
    {
      "task": "analyze_existing_auth_patterns",
      "scope": "discovery_only"
    },
    {
      "task": "identify_integration_points",
      "scope": "discovery_only"
    }
  ]
}"""
ESCALATES = """{
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
ACCEPTS = """comments:
  - id: c002
    author: test-architect
    timestamp: 2024-01-17T15:45:00
    parent: c001  # reply to
    content: |
      You're right. Architecture says async. Updating test
      to use async/await pattern with proper event mocking.
    status: resolved
    resolution: accepted
"""


def board(folder: Path, preset: str, column: str) -> Moot:
    moot = new_board(folder, preset)
    moot("add", "Feature X", "--column", column)
    return moot


def told(moot: Moot, agent: str, said: str | dict[str, Any], *more: str) -> str:
    """What the agent's terminal shows after its report, on one line."""
    claim = moot("claim", agent)
    file = moot.folder / "said.txt"
    file.write_text(said if isinstance(said, str) else json.dumps(said), "utf-8")
    out = moot.process_text("report", claim["run"], str(file), "--token", str(claim["token"]), *more)
    return " ".join(out.split())


@pytest.mark.ledger("R-06")
def test_an_attempt_block_is_noted_and_not_said_to_have_no_effect(tmp_path: Path) -> None:
    moot = board(tmp_path, "escalation", "available")
    out = told(moot, "developer", ATTEMPT)
    assert "#1 reported failed" in out and "Noted: attempt 1 counts: a new approach" in out
    assert "no effect" not in out
    assert len(moot("show", "1")["failure_history"]) == 1
    again = told(moot, "developer", ATTEMPT)
    assert "Noted: attempt 2 does not count: " in again and "no effect" not in again


@pytest.mark.ledger("R-32")
def test_the_pipelines_form_is_answered_with_remarks_and_what_is_told_on(tmp_path: Path) -> None:
    out = told(board(tmp_path, "pipeline", "implement"), "implementer", FORM)
    assert "#1 reported done" in out and "Taken up: findings, as remarks: a name could be better" in out
    assert "Told on, with no effect of its own: Changes Made: handlers/feature.go: the handler" in out
    assert "Issues Found" not in out, "they are the findings"
    out = told(board(tmp_path / "2", "pipeline", "implement"), "implementer", FOLLOW_UP)
    assert "#1 reported incomplete" in out and "a fresh run goes on, and 3 of these in a row ask a person" in out


@pytest.mark.ledger("R-32")
def test_a_reviewers_findings_are_taken_up_and_its_words_that_agree_are_not_listed(tmp_path: Path) -> None:
    moot = board(tmp_path, "pipeline", "review")
    out = told(moot, "reviewer", REVIEW)
    assert "reported changes_requested" in out and "Taken up: findings: Missing error handling" in out
    assert "no effect" not in out and "approval" not in out
    assert "#1: Waiting in review for the parts" in out, "a part is told where its item is"
    assert "because review asks for changes" in told(moot, "devils-advocate", {"outcome": "done"})
    out = told(board(tmp_path / "2", "pipeline", "test"), "test-executor", FAILURES)
    assert "Taken up: findings: expected 200, got 500; tests:" in out
    assert "round: 2 (the board counts this itself)" in out


@pytest.mark.ledger("R-25")
def test_a_delegation_is_taken_up(tmp_path: Path) -> None:
    out = told(board(tmp_path, "quest", "discover"), "pathseeker", DELEGATE)
    assert "#1 reported delegates" in out and "no effect" not in out
    assert "Taken up: delegate: analyze_existing_auth_patterns; identify_integration_points" in out


@pytest.mark.ledger("R-09")
def test_blockers_of_whoever_is_stuck_are_taken_up_and_are_its_reason(tmp_path: Path) -> None:
    said = {"outcome": "stuck", "blockers": "two threads write the book"}
    out = told(board(tmp_path, "kanban", "dev"), "dev-agent", said)
    assert "dev-agent is stuck: two threads write the book" in out and "no reason given" not in out
    assert "Taken up: blockers: two threads write the book" in out and "no effect" not in out


@pytest.mark.ledger("R-12")
def test_a_dispute_says_what_was_opened_and_what_was_settled(tmp_path: Path) -> None:
    moot = board(tmp_path, "kanban", "tests")
    moot.speak("test-architect", {"outcome": "done", "artifacts": [{"name": "tests/247-trading-tests.md"}]})
    out = told(moot, "dev-agent", CONCERN)
    assert "#1 reported disputed" in out and "Noted: disputed it, c001" in out
    # The file that the document's comments stand in is nothing to act on, and it is the only such thing.
    assert out.endswith("Told on, with no effect of its own: Metadata: tests/247-trading-tests.meta.yaml")
    out = told(moot, "test-architect", ACCEPTS)
    assert "#1 reported done" in out and "Noted: settled c001: accepted" in out and "no effect" not in out


@pytest.mark.ledger("H-09")
def test_the_reason_of_an_escalation_reaches_the_person_and_is_taken_up(tmp_path: Path) -> None:
    moot = board(tmp_path, "handoff", "build")
    out = told(moot, "builder", ESCALATES)
    assert "#1 reported asks" in out and "Taken up: reason: spec_ambiguity" in out and "no effect" not in out
    assert "spec_ambiguity" in moot("inbox")["questions"][0]["context"]


@pytest.mark.ledger("R-22")
def test_done_that_is_taken_for_another_outcome_says_both(tmp_path: Path) -> None:
    said = {"outcome": "done", "findings": [{"severity": "high", "issue": "a leak"}], "cause": "size"}
    out = told(board(tmp_path, "kanban", "review"), "review-agent", said)
    assert "#1 reported done, taken as changes_requested" in out and "Taken up: findings: a leak" in out
    assert "cause: size (it decides something only beside failed, stuck, incomplete)" in out


@pytest.mark.ledger("R-32")
def test_of_what_is_over_nobody_is_told(tmp_path: Path) -> None:
    moot = board(tmp_path, "handoff", "review")
    out = told(moot, "reviewer", {"status": "approved", "report": "fine", "notes": "the docs"})
    assert "Kept, with no effect of its own: notes: the docs" in out and "Told on" not in out
    assert "the docs" in moot.process_text("show", "1")


@pytest.mark.ledger("R-32", "R-12")
def test_disagrees_in_words_is_shown_how_to_disagree(tmp_path: Path) -> None:
    moot = board(tmp_path, "kanban", "tests")
    refused = moot.try_in(moot("claim", "test-architect"), "DISAGREES: replies, moves back to disputer")
    hint = json.loads(refused.err)["error"]["hint"]
    assert refused.code == 2 and '{"outcome": "disputed"' in hint


@pytest.mark.ledger("R-08")
def test_an_expert_that_nobody_asked_is_told_why_nothing_is_ready(tmp_path: Path) -> None:
    refused = board(tmp_path, "escalation", "available").say("claim", "crypto-expert")
    message = json.loads(refused.err)["error"]["message"]
    assert refused.code == 3 and message.endswith("it watches no column, and takes only what it is asked for by others")
