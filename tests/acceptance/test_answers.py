"""What a person types is done, or refused with the options: the documents' own questions through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from folkmoot import Board
from folkmoot.errors import Invalid
from tests.acceptance.moot import Moot, new_board
from tests.documents import CLARIFICATION, SECURITY

ASKED = "awaiting-divine-guidance"
# The escalation document's signal, in its own form.
SIGNAL = """SEEKING_DIVINE_CLARIFICATION

Task: task-1-1
Agent: developer

Question: Which key may leave the machine?

Context:
The billing service must read sessions.

Options Considered:
1. Share the signing key: any service could forge sessions
2. A key for each service: old clients know only one

Attempts Made:
- Self-solve: 2 attempts

What Would Help:
The name of the key
"""


def attempt(number: int, letter: str) -> str:
    """The document's attempt documentation format."""
    return (
        f"ATTEMPT {number}: Self-Solve\nApproach: {letter * 9}\nOutcome: {letter} is red\nWhy Different: another tool\n"
    )


def exhausted(folder: Path) -> Moot:
    """3 EXPERT_UNSUCCESSFUL after 3 own attempts: the document's mandatory escalation."""
    moot = new_board(folder, "escalation")
    moot("add", "Sessions survive a restart")
    for number, letter in enumerate("abc", start=1):
        moot.speak("developer", attempt(number, letter))
    for expert in ("crypto-expert", "protocol-expert", "database-expert"):
        moot.speak(expert, "EXPERT_UNSUCCESSFUL")
    assert moot("show", "1")["status"] == ASKED
    return moot


def flagged(folder: Path) -> Moot:
    """The dispute document's circuit breaker: dev-agent and test-architect after three rounds."""
    moot = new_board(folder)
    moot("add", "Trading", "--column", "tests")
    moot.effort("test-architect", "done", artifacts=[{"name": "tests/247-trading-tests.md"}])
    concern = "Test assumes sync, but arch specifies async. Test is wrong."
    about = {"artifact": "tests/247-trading-tests.md", "target": "test_trade_cancellation", "content": concern}
    moot.effort("dev-agent", "disputed", comments=[about])
    for agent in ("test-architect", "dev-agent", "test-architect"):
        moot.effort(agent, "disputed", comments=[{"parent": "c001", "content": f"{agent} insists"}])
    return moot


def refused(moot: Moot, *words: str) -> dict[str, Any]:
    before = moot("show", "1")
    said = moot.say("answer", *words)
    assert said.code == 2
    assert moot("show", "1") == before, "nothing has changed"
    error: dict[str, Any] = json.loads(said.err)["error"]
    return error


@pytest.mark.ledger("R-16", "E-05")
def test_the_rules_question_shows_what_was_tried_and_what_each_option_does(tmp_path: Path) -> None:
    moot = exhausted(tmp_path)
    (asked,) = moot("inbox")["questions"]
    assert [(o["option"], o["effect"]) for o in asked["options"]] == [
        ("try again", "again"),
        ("park it", "park"),
        ("cancel it", "cancel"),
    ]
    assert asked["takes"] == "option" and all(option["does"] for option in asked["options"])
    assert "aaaaaaaaa: a is red" in asked["context"] and "EXPERT_UNSUCCESSFUL" in asked["context"]


@pytest.mark.ledger("R-16", "R-18")
def test_no_stop_is_not_taken_for_go_on(tmp_path: Path) -> None:
    moot = exhausted(tmp_path)
    item = moot("answer", "q1", "No, stop. Do not spend any more.")
    assert item["status"] == "parked" and moot.say("claim", "developer").code == 3
    assert [q["id"] for q in moot("inbox")["questions"]] == ["q1"], "its question stays open"
    error = refused(moot, "q1", "Use the new library")
    assert error["code"] == "choose_option" and "1 try again, 2 park it, 3 cancel it" in error["message"]
    item = moot("answer", "q1", "1", "Use the new library")
    assert item["status"] == "ready" and item["guidance"][-1]["answer"] == "try again: Use the new library"
    assert moot("claim", "developer")["brief"]["guidance"][-1]["answer"] == "try again: Use the new library"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("R-16")
def test_a_letter_that_labels_one_option_and_begins_another_is_refused(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "escalation")
    moot("add", "Passwords are hashed")
    listed = "a) bcrypt: slow\nb) argon2: needs memory\n"
    moot.speak("developer", f"SEEKING_DIVINE_CLARIFICATION\n\nQuestion: Which hash?\n\nOptions Considered:\n{listed}")
    error = refused(moot, "q1", "b")
    assert error["code"] == "ambiguous_option" and "1 bcrypt, 2 argon2" in error["message"]
    assert moot("answer", "q1", "2")["guidance"][-1]["answer"] == "argon2"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("words", ["Abort", "cancel it, it is not worth it", "3", "CANCEL"])
def test_abort_ends_the_item(tmp_path: Path, words: str) -> None:
    moot = exhausted(tmp_path)
    for unclear in ("abort the openssl approach and use AES", "cancel it only if AES fails too"):
        assert "none of the options" in refused(moot, "q1", unclear)["message"]
    assert moot("answer", "q1", words)["status"] == "cancelled"


@pytest.mark.ledger("R-12", "R-16", "K-07")
@pytest.mark.parametrize(
    ("words", "column", "resolution"),
    [
        ("test-architect is right", "dev", "rejected"),
        ("Test-architect", "dev", "rejected"),
        ("dev-agent is right, arch says async", "tests", "accepted"),
    ],
)
def test_a_side_is_named_by_its_name(tmp_path: Path, words: str, column: str, resolution: str) -> None:
    moot = flagged(tmp_path)
    (asked,) = moot("inbox")["questions"]
    for side in ("dev-agent: dev-agent insists", "test-architect: test-architect insists"):
        assert side in asked["context"], "the last statement of each side"
    for unclear in ("dev-agent is wrong", "the test is wrong", "both", "dev-agent is right about async but not here"):
        assert "1 dev-agent is right, 2 test-architect is right" in refused(moot, "q1", unclear)["message"]
    item = moot("answer", "q1", words)
    assert (item["column"], item["comments"][0]["resolution"]) == (column, resolution)


@pytest.mark.ledger("R-10", "R-14", "R-16", "P-07")
def test_pattern_4_continue_or_abort(tmp_path: Path) -> None:
    """agent → (critical issue) → dispatcher → (user decision) → continue/abort"""
    moot = new_board(tmp_path, "pipeline")
    moot("add", "Feature X with tests", "--column", "review")
    moot.speak("devils-advocate", SECURITY)
    (asked,) = moot("inbox")["questions"]
    for told in ("services/user.go:123", "Input ' OR '1'='1 bypasses auth", "fix: Use parameterized queries"):
        assert told in asked["context"]
    assert [option["effect"] for option in asked["options"]] == ["fix", "waive", "cancel"]
    assert "1 fix it, 2 accept the risk and go on, 3 abort" in refused(moot, "q1", "continue")["message"]
    refused(moot, "q1", "Yes")
    assert moot("answer", "q1", "Abort")["status"] == "cancelled"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["2"], "Add cursor-based pagination"),
        (["add cursor"], "Add cursor-based pagination"),
        (["3, but at most 1000"], "Return all items (no pagination), but at most 1000"),
        (["3", "but at most 1000"], "Return all items (no pagination): but at most 1000"),
        (["Yes, 50 a page"], "Yes, 50 a page"),
        (["--text", "50"], "50"),
        (["--text", "2"], "2"),
    ],
)
def test_an_agents_question_takes_any_words_and_its_options(tmp_path: Path, words: list[str], kept: str) -> None:
    moot = new_board(tmp_path, "pipeline")
    moot("add", "Feature X with tests")
    moot.speak("implementer", CLARIFICATION)
    (asked,) = moot("inbox")["questions"]
    assert asked["takes"] == "words"
    assert refused(moot, "q1", "Add")["code"] == "ambiguous_option"
    error = refused(moot, "q1", "50")
    assert "1 to 3, not 50" in error["message"] and "--text" in error["hint"]
    item = moot("answer", "q1", *words)
    assert item["guidance"][-1]["answer"] == kept and item["status"] == "ready"


@pytest.mark.ledger("E-07", "R-16")
def test_the_documents_signal_is_answered_by_the_options_it_considered(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "escalation")
    moot("add", "Sessions survive a restart")
    moot.speak("developer", SIGNAL)
    item = moot("answer", "q1", "2, but keep the old API")
    assert item["guidance"][-1]["answer"] == "A key for each service, but keep the old API"


@pytest.mark.ledger("R-24", "R-16")
def test_yes_to_a_further_split_makes_its_tasks(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "quest")
    flow = tmp_path / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("splits: 3", "splits: 1"), "utf-8")
    moot("apply")
    moot("add", "User auth")
    moot.effort("pathseeker", "split", tasks=[{"key": "a", "title": "Register", "files": ["src/a.ts"]}])
    moot.effort("codeweaver", "failed", cause="size", summary="too much")
    halves = [{"key": key, "title": f"Half {key}", "files": [f"src/{key}.ts"]} for key in "ab"]
    item = moot.effort("pathseeker", "split", tasks=halves)
    assert item["status"] == ASKED and "b. Half b [src/b.ts]" in item["questions"][-1]["context"]
    item = moot("answer", "q1", "Yes")
    assert (item["column"], item["status"], len(item["children"])) == ("weave", "waiting", 2)
    assert moot.say("inbox").code == 3 and moot("doctor")["ok"]


@pytest.mark.ledger("R-16")
def test_the_python_door_understands_the_same(tmp_path: Path) -> None:
    exhausted(tmp_path)
    with Board.open(str(tmp_path)) as board:
        with pytest.raises(Invalid, match="1 try again, 2 park it, 3 cancel it"):
            board.answer("q1", "Use the new library")
        with pytest.raises(Invalid):
            board.answer("q1", "1", text=True)
        item = board.answer("q1", "try", "use the new library")
        assert item.guidance[-1].answer == "try again: use the new library"


@pytest.mark.ledger("R-16", "P-07")
@pytest.mark.parametrize("word", ["continue", "go on", "proceed", "Continue."])
def test_going_on_at_the_implementers_own_critical_issue_is_asked_back(tmp_path: Path, word: str) -> None:
    moot = new_board(tmp_path, "pipeline")
    moot("add", "User auth")
    issue = "## Issues Found\n- Critical: a.go:3 the login is open"
    moot.speak("implementer", f"## Summary\nBuilt it.\n\n{issue}\n\n## Status\n- [x] Complete\n")
    told = moot.say("answer", "q1", word)
    assert told.code == 2 and told.error == "ambiguous_option", told.err
    assert moot("show", "1")["status"] == ASKED
