"""A signal of the escalation document, or a person or expert whom it names, in a field of a report in JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_escalation import ASKED, blocks, board, counts, tracking

SIGNALLED = [
    ("done", "TASK_INCOMPLETE: verify() is missing", "incomplete"),
    ("done", "SEEKING_DIVINE_CLARIFICATION: which key?", "asks"),
    ("done", "Half of it.\n\nSEEKING_DIVINE_CLARIFICATION\n\nTask: 1\nQuestion: which key?", "asks"),
    ("failed", "SEEKING_DIVINE_CLARIFICATION: which key?", "asks"),
    ("stuck", "**SEEKING_DIVINE_CLARIFICATION**\n\nQuestion: which key?", "asks"),
]


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(("outcome", "summary", "meant"), SIGNALLED)
@pytest.mark.parametrize("field", ["summary", "reason"])
def test_a_signal_in_a_field_that_says_another_end_is_asked_back(
    tmp_path: Path, outcome: str, summary: str, meant: str, field: str
) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = moot.try_in(claim, {"outcome": outcome, field: summary})
    assert said.code == 2 and "which holds?" in said.err and f"report {meant}" in said.err
    item = moot.hand_in(claim, json.dumps({"outcome": outcome, field: summary}), "--final")
    assert item["status"] == (ASKED if meant == "asks" else "ready"), "at the end of a process the signal holds"
    assert meant != "asks" or "which key?" in moot("inbox")["questions"][0]["question"]


@pytest.mark.ledger("E-04", "R-32")
def test_an_expert_whose_done_signals_that_it_was_unsuccessful_has_not_advised(tmp_path: Path) -> None:
    moot = board(tmp_path)
    moot.speak("developer", blocks(1, 3))
    claim = moot("claim", "crypto-expert")
    said = {"outcome": "done", "summary": "EXPERT_UNSUCCESSFUL: no cipher fits"}
    assert "report failed" in moot.try_in(claim, said).err
    assert moot.try_in(claim, said, "--final").code == 0
    assert counts(moot) == (3, 1, 4) and "protocol-expert is asked" in moot("show", "1")["why"]


@pytest.mark.ledger("E-04", "E-08", "R-32")
@pytest.mark.parametrize("field", ["outcome", "status"])
def test_a_signal_as_the_outcome_is_that_signal(tmp_path: Path, field: str) -> None:
    moot = board(tmp_path)
    asks = {field: "seeking_divine_clarification", "question": "which key?", "options": ["PEM", "DER"]}
    assert moot.speak("developer", json.dumps(asks))["status"] == ASKED
    moot("answer", "q1", "2")
    moot.speak("developer", blocks(1, 3))
    item = moot.speak("crypto-expert", json.dumps({field: "EXPERT_UNSUCCESSFUL", "summary": "No cipher fits"}))
    assert item["status"] == "failed" and "protocol-expert is asked" in moot("show", "1")["why"]
    assert "No cipher fits" in str(moot("show", "1")["failure_history"][-1])


@pytest.mark.ledger("E-07", "R-32")
@pytest.mark.parametrize(
    "summary",
    [
        *("TASK_INCOMPLETE is read in any case now", "The parser reads\nEXPERT_UNSUCCESSFUL after three tries"),
        "SEEKING_DIVINE_CLARIFICATION: not needed",
    ],
)
def test_a_signal_that_a_summary_only_mentions_changes_nothing(tmp_path: Path, summary: str) -> None:
    assert board(tmp_path).effort("developer", "done", summary=summary)["status"] == "done"


@pytest.mark.ledger("E-01", "E-07", "R-32")
@pytest.mark.parametrize(
    ("parts", "meant"),
    [
        ({"summary": "needs a human decision on the key"}, "asks"),
        ({"summary": "red", "blockers": "Escalating to a human: which key?"}, "asks"),
        ({"summary": "protocol-expert should look at the handshake"}, "delegates"),
        ({"summary": "red", "next_steps": ["Escalate to divine intervention"]}, "asks"),
        ({"summary": "red", "next_steps": ["Look at the log", "Have database-expert look at the index"]}, "delegates"),
    ],
)
def test_a_failure_in_json_that_asks_for_somebody_is_asked_back(
    tmp_path: Path, parts: dict[str, Any], meant: str
) -> None:
    moot = board(tmp_path)
    said = moot.try_in(moot("claim", "developer"), {"outcome": "failed", **parts})
    assert said.code == 2 and "which holds?" in said.err and meant in said.err


STUCK = [
    ({"reason": "database-expert", "summary": "the index"}, "delegates"),
    ({"summary": "database-expert should look at the index"}, "delegates"),
    ({"blockers": "needs database-expert"}, "delegates"),
    ({"summary": "needs divine clarification: which key?"}, "asks"),
]


@pytest.mark.ledger("E-03", "R-08", "R-32")
@pytest.mark.parametrize(("parts", "meant"), STUCK)
def test_whoever_is_stuck_and_names_somebody_else_than_is_next_is_asked_back(
    tmp_path: Path, parts: dict[str, str], meant: str
) -> None:
    moot = board(tmp_path)
    claim = moot("claim", "developer")
    said = {"outcome": "stuck", **parts}
    assert f"report {meant}" in moot.try_in(claim, said).err
    assert moot.try_in(claim, said, "--final").code == 0
    assert moot("show", "1")["status"] == (ASKED if meant == "asks" else "waiting")
    assert tracking(moot)["experts_tried"] == (["database-expert"] if meant == "delegates" else [])


@pytest.mark.ledger("E-03", "R-08")
@pytest.mark.parametrize("parts", [{"reason": "crypto-expert"}, {"summary": "cannot go on"}])
def test_whoever_is_stuck_and_names_nobody_else_is_helped_by_the_next_expert(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    moot = board(tmp_path)
    moot.effort("developer", "stuck", **parts)
    assert tracking(moot)["experts_tried"] == ["crypto-expert"]


@pytest.mark.ledger("E-08", "E-13")
def test_a_question_in_the_documents_own_fields_is_asked_whole(tmp_path: Path) -> None:
    moot = board(tmp_path)
    asked = {"task_id": "1", "agent_id": "dev-123", "question": "Which key?", "options": ["Share it", "One each"]}
    asked |= {"context": "Two pages differ.", "requested_at": "2025-01-16T10:30:00Z"}
    moot.hand_in(moot("claim", "developer"), json.dumps({"outcome": "asks", **asked}))
    (pending,) = moot("inbox")["questions"]
    assert (pending["question"], pending["context"]) == ("Which key?", "Two pages differ.")
    moot("answer", "q1", "2")
    assert moot("show", "1")["guidance"][-1]["answer"] == "One each"


@pytest.mark.ledger("E-05", "R-10")
@pytest.mark.parametrize("outcome", ["failed", "stuck"])
def test_a_trigger_in_its_own_field_asks_a_person_at_once(tmp_path: Path, outcome: str) -> None:
    moot = board(tmp_path)
    said = {"outcome": outcome, "summary": "Stopped", "trigger": "Ambiguous acceptance criteria"}
    assert moot.hand_in(moot("claim", "developer"), json.dumps(said))["status"] == ASKED
    assert "Ambiguous acceptance criteria" in moot("inbox")["questions"][0]["context"]


@pytest.mark.ledger("E-06")
def test_the_type_of_an_attempt_changes_no_outcome(tmp_path: Path) -> None:
    moot = board(tmp_path)
    tried = {"type": "self_solve", "number": 1, "approach": "Read the code", "outcome": "no result"}
    moot.hand_in(moot("claim", "developer"), json.dumps({"outcome": "failed", "attempts": [tried]}))
    assert counts(moot) == (1, 0, 1) and tracking(moot)["last_attempt_outcome"] == "no result"
