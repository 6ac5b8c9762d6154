"""One text may say several things, in the documents' own forms: all of it counts, or it is asked back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import FAILURES, SHARED, TASKS

View = dict[str, Any]

# The escalation document's signal, filled in.
SEEKING = """SEEKING_DIVINE_CLARIFICATION

Task: task-1-1
Agent: dev-123

Question: Which key format is meant?

Context:
The old files use PEM.

Options Considered:
1. PEM everywhere: old clients break
2. Both: twice the tests

Attempts Made:
- Self-solve: 3 attempts
- Expert delegation: 0 attempts (if applicable)

What Would Help:
The name of one format.
"""
OTHER = SEEKING.replace("Which key format is meant?", "Who owns the key store?").replace("PEM everywhere", "Ops own it")
DONE = '```json\n{"outcome": "done", "summary": "wrote the parser"}\n```\n'


def board(folder: Path, preset: str, column: str) -> Moot:
    moot = new_board(folder, preset)
    moot("add", "Feature X with tests", "--column", column)
    return moot


def question_of(item: View) -> View:
    (asked,) = item["questions"]
    found: View = asked
    return found


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize("text", [f"{SEEKING}\n{DONE}", f"{DONE}\n{SEEKING}"], ids=["first", "last"])
def test_a_question_beside_done_reaches_the_person(tmp_path: Path, text: str) -> None:
    moot = board(tmp_path, "escalation", "available")
    item = moot.speak("developer", text)
    assert item["status"] == "awaiting-divine-guidance"
    assert question_of(item)["question"] == "Which key format is meant?"
    assert "wrote the parser" in json.dumps(item["runs"][-1]["report"])


@pytest.mark.ledger("E-07")
def test_two_signals_are_one_question_with_all_of_both(tmp_path: Path) -> None:
    moot = board(tmp_path, "escalation", "available")
    asked = question_of(moot.speak("developer", f"{SEEKING}\n\n{OTHER}"))
    assert "Which key format is meant?" in asked["question"] and "Who owns the key store?" in asked["question"]
    assert [one["option"] for one in asked["options"]] == ["PEM everywhere", "Both", "Ops own it"]


@pytest.mark.ledger("E-06", "E-07")
def test_attempts_in_json_beside_a_signal_are_kept(tmp_path: Path) -> None:
    moot = board(tmp_path, "escalation", "available")
    tried = {"attempts": [{"approach": "read the header", "outcome": "the checksum is wrong"}]}
    item = moot.speak("developer", f"```json\n{json.dumps(tried)}\n```\n\n{SEEKING}")
    assert question_of(item)["question"] == "Which key format is meant?"
    assert [one["approach"] for one in item["runs"][-1]["report"]["attempts"]] == ["read the header"]


@pytest.mark.ledger("P-03", "R-22")
def test_failures_are_not_taken_back_by_a_bare_done(tmp_path: Path) -> None:
    moot = board(tmp_path, "pipeline", "test")
    item = moot.speak("test-executor", f'```json\n{json.dumps(FAILURES, indent=2)}\n```\n\n{{"outcome": "done"}}')
    assert (item["column"], item["runs"][-1]["outcome"]) == ("implement", "changes_requested")
    assert [finding["test"] for finding in item["findings"]] == ["TestFeatureIntegration"]


@pytest.mark.ledger("Q-03")
def test_a_decomposition_in_two_blocks_is_one_split(tmp_path: Path) -> None:
    moot = board(tmp_path, "quest", "discover")
    blocks = [{"tasks": [{"title": one["task"], "files": one["files"]}], **SHARED} for one in TASKS.values()]
    item = moot.speak("pathseeker", "\n\nand\n\n".join(f"```json\n{json.dumps(one, indent=2)}\n```" for one in blocks))
    made = [moot("show", child)["title"] for child in item["children"]]
    assert made == ["User can register with email", "User can reset password"]


@pytest.mark.ledger("R-32")
def test_failed_and_then_done_is_asked_back_while_the_run_lives(tmp_path: Path) -> None:
    moot = board(tmp_path, "quest", "weave")
    claim = moot("claim", "codeweaver")
    failed = {"status": "failed", "report": "the mail service is gone", "output": "none"}
    refused = moot.try_in(claim, f"```json\n{json.dumps(failed)}\n```\n\n{DONE}")
    assert (refused.code, refused.error) == (2, "report_refused")
    assert "it says failed, then done" in refused.err
    assert moot.hand_in(claim, json.dumps(failed))["runs"][-1]["outcome"] == "failed"
