"""A failure without a cause whose words lay it in the task is asked back: which cause holds (Q-08, Q-10, R-32)."""

import json
from pathlib import Path

import pytest

from tests.acceptance.test_quest_failures import split

FAILED = {"agentType": "codeweaver", "status": "failed", "task": "User can register", "blockers": "none"}
OF_THE_TASK = [
    "Still red, caused by how the quest was split: both tasks define AuthResult.",
    "This is more than one agent can do in one go, it should be split.",
    "This task is much bigger than described.",
    "The contract AuthResult contradicts user-service.ts.",
    "AuthResult conflicts with what the service returns.",
]
PLAIN = [
    "The test still fails: expected 2, got 3.",
    "The name should be split at the first space, and my regex does not.",
    "The payload is much bigger than described.",
    "The response contradicts the fixture.",
    "This is not caused by how the quest was split; the mailer does not start.",
]


@pytest.mark.ledger("Q-08", "Q-10", "R-32")
@pytest.mark.parametrize("words", OF_THE_TASK)
def test_a_failure_that_lies_in_the_task_is_asked_for_its_cause(tmp_path: Path, words: str) -> None:
    moot = split(tmp_path)
    claim = moot("claim", "codeweaver")
    said = moot.try_in(claim, {**FAILED, "report": words})
    assert said.error == "report_refused", said.out
    assert all(word in said.err for word in ("which holds", "`cause`", "size", "conflict", "capability"))
    assert moot.try_in(claim, {"outcome": "failed", "summary": words}).error == "report_refused"
    assert moot.hand_in(claim, json.dumps({**FAILED, "report": words, "cause": "size"}))["column"] == "discover"


@pytest.mark.ledger("Q-08", "R-32")
@pytest.mark.parametrize("words", PLAIN)
def test_a_plain_failure_is_not_asked_and_is_tried_again(tmp_path: Path, words: str) -> None:
    moot = split(tmp_path)
    item = moot.hand_in(moot("claim", "codeweaver"), json.dumps({**FAILED, "report": words}))
    assert (item["column"], item["status"]) == ("weave", "ready")


@pytest.mark.ledger("Q-08", "R-32")
def test_a_failure_that_names_its_cause_is_not_asked(tmp_path: Path) -> None:
    moot = split(tmp_path)
    said = {**FAILED, "report": OF_THE_TASK[0], "cause": "capability"}
    item = moot.hand_in(moot("claim", "codeweaver"), json.dumps(said))
    assert (item["column"], item["status"]) == ("weave", "ready")
