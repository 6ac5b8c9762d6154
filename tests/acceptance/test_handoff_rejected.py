"""`rejected` in the handoff document's returns: of the reviewer a verdict; the others are asked what they mean."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_handoff_returns import Desk

DISPUTED = {"outcome": "disputed", "comments": [{"content": "guarded above"}]}
REFUSES = (
    '{"status": "rejected", "issues": [{"file": "a.py", "line": 3, "description": "x", "reason": "guarded above"}]}'
)
TEXTS = [
    REFUSES,
    "Returns: {status: rejected, summary: 'guarded above'}",
    '{"status": "rejected", "reason": "guarded above"}',
    "## Summary\nguarded above\n\n## Status\nRejected\n",
    "**Status**: rejected\n**Summary**: guarded above\n",
    "Status: Rejected\nSummary: guarded above\n",
]


@pytest.mark.ledger("R-12", "R-26", "R-32")
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("column", "handed", "back"), [("fix", "fix_request", "review"), ("build", "task_handoff", "plan")]
)
def test_who_makes_and_rejects_is_asked_and_then_rejects_what_it_was_handed(
    tmp_path: Path, column: str, handed: str, back: str, text: str
) -> None:
    desk = Desk(tmp_path, column)
    said = desk.tries(text)
    assert (said.code, said.error) == (2, "report_refused") and "report disputed" in said.err
    (message,) = [one for one in desk.moot("messages")["messages"] if one["type"] == handed]
    assert (desk.moot("show", "1")["column"], message["status"]) == (column, "accepted")
    assert desk.says(json.dumps(DISPUTED))["column"] == back
    (message,) = [one for one in desk.moot("messages")["messages"] if one["type"] == handed]
    assert message["status"] == "rejected" and desk.moot("doctor")["ok"]


@pytest.mark.ledger("R-13", "R-22")
@pytest.mark.parametrize("text", TEXTS[:2] + TEXTS[3:])
def test_a_reviewer_that_rejects_asks_for_changes(tmp_path: Path, text: str) -> None:
    assert Desk(tmp_path, "review").says(text)["column"] == "fix"
