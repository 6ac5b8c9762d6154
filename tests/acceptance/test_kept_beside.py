"""What is said beside an outcome, through the command line: it acts, is told on and answered, or is asked back."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.acceptance.test_said_and_meant import QUEST, shown_to_a_person
from tests.documents import CONCERN

View = dict[str, Any]
COMPLETE = {name: told for name, told in QUEST.items() if name != "blockers"} | {
    "status": "complete",
    "surprise": "nobody wrote the mailer",
}
# The signal of the escalation document, filled in, and the JSON of a run that is done.
SIGNAL = """SEEKING_DIVINE_CLARIFICATION

Task: 1
Agent: developer

Question: Should the token live in a cookie or a header?

Context:
The spec names both.

Options Considered:
1. cookie: needs CSRF protection
2. header: the old client cannot send it

Attempts Made:
- Self-solve: 2 attempts

What Would Help:
One of the two, and why.
"""
QUESTION = {"question": "Should the token live in a cookie or a header?", "options": ["cookie", "header"]}
PROSE = "I have mended the loop boundary in loop.py, and the test is green now. Over to you."


def board(folder: Path, preset: str, column: str) -> Moot:
    moot = new_board(folder, preset)
    moot("add", "Feature X with tests", "--column", column)
    return moot


@pytest.mark.ledger("R-32", "H-10")
@pytest.mark.parametrize(
    ("column", "agent", "said"),
    [
        ("review", "reviewer", "Returns: {status: approved, issues: 2}"),
        ("build", "builder", 'Returns: {status: completed, commit: "abc123", issues: 2}'),
    ],
)
def test_open_issues_beside_approved_or_completed_are_asked_about(
    tmp_path: Path, column: str, agent: str, said: str
) -> None:
    moot = board(tmp_path, "handoff", column)
    claim = moot("claim", agent)
    refused = moot.try_in(claim, said)
    error = json.loads(refused.err)["error"]
    assert (refused.code, error["code"]) == (2, "report_refused")
    own = "approved" if agent == "reviewer" else "completed"
    assert f"it says {own}, and it names 2 open issues: which holds?" in error["message"]
    assert moot("show", "1")["status"] == "running"
    item = moot.hand_in(claim, said.replace(", issues: 2", ""))
    assert item["runs"][-1]["outcome"] == "done"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-22", "H-10")
def test_the_last_word_of_a_reviewer_who_approves_beside_open_issues_lets_nothing_pass(tmp_path: Path) -> None:
    moot = board(tmp_path, "handoff", "review")
    item = moot.hand_in(moot("claim", "reviewer"), "Returns: {status: approved, issues: 2}", "--final")
    assert (item["column"], item["runs"][-1]["outcome"]) == ("review", "failed"), "nobody told what to change"
    words = {"status": "approved", "issues": 2, "summary": "The lock leaks, and the name is wrong"}
    item = moot.hand_in(moot("claim", "reviewer"), json.dumps(words), "--final")
    assert item["column"] == "fix" and "it names 2 open issues, though it says approved" in item["why"]


@pytest.mark.ledger("E-06", "R-17")
def test_a_question_beside_done_is_not_lost(tmp_path: Path) -> None:
    moot = board(tmp_path, "escalation", "available")
    claim = moot("claim", "developer")
    refused = moot.try_in(claim, {"outcome": "done", "summary": "works", "question": QUESTION})
    assert refused.code == 2 and "report asks" in refused.err and "`blocking` false" in refused.err
    item = moot.hand_in(claim, json.dumps({"outcome": "done", "question": {**QUESTION, "blocking": False}}))
    assert item["status"] == "done"
    (question,) = moot("inbox")["questions"]
    assert question["question"] == QUESTION["question"]
    moot("add", "Another", "--column", "available")
    item = moot.hand_in(moot("claim", "developer"), json.dumps({"outcome": "done", "question": QUESTION}), "--final")
    assert (item["status"], item["runs"][-1]["outcome"]) == ("awaiting-divine-guidance", "asks")


@pytest.mark.ledger("E-06")
def test_the_documents_signal_still_asks(tmp_path: Path) -> None:
    moot = board(tmp_path, "escalation", "available")
    moot.speak("developer", SIGNAL)
    (question,) = moot("inbox")["questions"]
    assert question["question"] == QUESTION["question"]


@pytest.mark.ledger("Q-09", "Q-11")
def test_a_codeweavers_own_words_beside_complete_reach_the_lawbringer(tmp_path: Path) -> None:
    moot = board(tmp_path, "quest", "weave")
    said = {**COMPLETE, "riskLevel": "the mailer has no tests"}
    item = moot.speak("codeweaver", said)
    assert {"surprise", "riskLevel"} <= {one["what"] for one in item["kept"]}
    assert {"what": "surprise", "said": "nobody wrote the mailer"} in item["kept"]
    shown = shown_to_a_person(moot)
    assert (
        "What else the last run said; it is kept, and changed nothing" in shown
        and "nobody wrote the mailer" in shown
        and "no tests" in shown
    )
    moot.speak("ward", {"outcome": "done"})
    brief = json.dumps(moot("claim", "lawbringer")["brief"])
    assert "nobody wrote the mailer" in brief and "the mailer has no tests" in brief


def test_the_answer_in_words_names_what_was_kept(tmp_path: Path) -> None:
    moot = board(tmp_path, "quest", "weave")
    claim = moot("claim", "codeweaver")
    (tmp_path / "said.json").write_text(json.dumps({**COMPLETE, "agentType": "oracle"}), "utf-8")
    token = str(claim["token"])
    told = moot.process_text("report", claim["run"], str(tmp_path / "said.json"), "--token", token)
    assert "Told on, with no effect of its own: agentType: oracle; surprise: nobody wrote the mailer" in told


@pytest.mark.ledger("R-32")
def test_a_comment_of_the_document_that_another_signed_is_kept_as_a_quotation(tmp_path: Path) -> None:
    moot = board(tmp_path, "kanban", "tests")
    claim = moot("claim", "test-architect")
    said = {"outcome": "done", "comments": [{"author": "dev-agent", "content": "This test assumes sync."}]}
    for text in (json.dumps(said), CONCERN):
        assert moot.try_in(claim, text).code == 2
    kept = moot("comments", "1")["comments"]
    assert len(kept) == 2 and all(
        one["author"] == "test-architect" and one["content"].startswith("a comment that the report signs as dev-agent")
        for one in kept
    )


@pytest.mark.ledger("R-32")
def test_a_report_that_cannot_be_read_is_seen_by_a_person_and_by_the_next_agent(tmp_path: Path) -> None:
    moot = board(tmp_path, "kanban", "dev")
    claim = moot("claim", "dev-agent")
    assert moot.try_in(claim, PROSE).error == "unreadable_report"
    item = moot("show", "1")
    assert item["status"] == "running" and PROSE in json.dumps(item["runs"][-1]["refused"])
    assert PROSE in shown_to_a_person(moot)
    item = moot.hand_in(claim, PROSE, "--final")
    assert item["runs"][-1]["cause"] == "protocol"
    assert PROSE in json.dumps(moot("claim", "dev-agent")["brief"]["previous"])
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("said", ['{"status": "accepted"}', "{'status': 'completed'}"], ids=str)
def test_whoever_was_not_understood_is_not_said_to_have_failed(tmp_path: Path, said: str) -> None:
    """A builder that says it has accepted the handoff has not failed, and neither the story nor the brief says so."""
    moot = board(tmp_path, "handoff", "build")
    claim = moot("claim", "builder")
    assert moot.try_in(claim, said).code == 2
    shown = shown_to_a_person(moot)
    assert said in shown and "said no outcome; not accepted" in shown, shown
    assert "said failed" not in shown and "builder failed" not in shown, shown
    moot("release", claim["run"], "--token", str(claim["token"]))
    previous = moot("claim", "builder")["brief"]["previous"]
    assert said in json.dumps(previous, ensure_ascii=False).replace('\\"', '"'), previous
    assert "cause" not in previous and "outcome" not in previous
