"""What an agent sent about its item outside of its run, by a file or by name, is what it hands over: once (R-26)."""

from typing import Any

import pytest

from folkmoot.core.commands import SendMessage
from folkmoot.testing.builders import PERSON, SoundBoard, preset_flow
from tests.core.test_message_life import claimed, messages

HANDOFF = preset_flow("handoff")
ISSUES = [{"file": "a.py", "line": 3, "description": "password logged"}]
FOUND = [{"severity": "medium", "issue": "password logged", "file": "a.py", "line": 3}]
FIX: dict[str, Any] = {"sender": "reviewer", "to": "fixer", "type": "fix_request", "payload": {"issues": ISSUES}}
READY: dict[str, Any] = {
    "sender": "builder",
    "to": "reviewer",
    "type": "review_request",
    "payload": {"notes": "argon2"},
}


@pytest.mark.ledger("R-26", "H-02")
@pytest.mark.parametrize("before", [True, False], ids=["before its run", "while it runs"])
@pytest.mark.parametrize("parts", [{"findings": FOUND}, {"extra": {"status": "needs_fixes", "issues": 1}}], ids=str)
def test_a_fix_request_that_was_sent_beside_the_run_is_not_written_again(before: bool, parts: dict[str, Any]) -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        board.effort("planner", "done")
        board.effort("builder", "done")
        if before:
            board.engine.send(PERSON, SendMessage(**FIX, context={"item": item}))
        run = board.claim("reviewer")
        if not before:
            board.engine.send(PERSON, SendMessage(**FIX, context={"item": item}))
        board.report(run, "changes_requested", **parts)
        assert board.place(item) == ("fix", "ready")
        (sent,) = messages(board, type="fix_request")
        assert [one["issue"] for one in board.show(item)["findings"]] == ["password logged"]
        _, told = claimed(board, "fixer")
        assert told == [sent.id], "it is accepted as the handoff of its stage"


@pytest.mark.ledger("R-26")
def test_a_maker_that_sent_its_handoff_beside_its_run_has_handed_over() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        board.effort("planner", "done")
        run = board.claim("builder")
        board.engine.send(PERSON, SendMessage(**READY, context={"item": item}))
        board.report(run, "done")
        (sent,) = messages(board, type="review_request")
        assert claimed(board, "reviewer")[1] == [sent.id]


@pytest.mark.ledger("R-26")
def test_what_was_sent_before_the_agent_was_handed_the_item_is_not_its_handoff() -> None:
    with SoundBoard(HANDOFF) as board:
        item = board.add()
        board.engine.send(PERSON, SendMessage(**READY, context={"item": item}))
        board.sleep(1)
        board.effort("planner", "done")
        board.effort("builder", "done", summary="built with bcrypt")
        early, written = messages(board, type="review_request")
        assert early.payload == {"notes": "argon2"} and "bcrypt" in str(written.payload)
        assert set(claimed(board, "reviewer")[1]) == {early.id, written.id}, "none is lost"
