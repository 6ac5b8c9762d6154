"""A stricter flow comes in while an item is worked on or asked about: its limits hold from the next rest on."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.testing.builders import TrialBoard, limited, line_flow, preset_flow

ANN = Actor("ann")
LINE = line_flow("dev", own_attempts=10)
WAYS = ("rewrite the parser", "cache every query", "lock the session")


def board_with_three_attempts() -> tuple[TrialBoard, str]:
    board = TrialBoard(LINE)
    item = board.add()
    for way in WAYS:
        board.effort("dev-agent", "failed", attempts=[{"approach": way}])
    return board, item


@pytest.mark.ledger("R-11")
def test_attempts_beyond_the_new_limit_ask_when_the_run_ends() -> None:
    board, item = board_with_three_attempts()
    with board:
        run = board.claim("dev-agent")
        board.engine.adopt_flow(ANN, limited(LINE, attempts=3), "")
        board.engine.handle_run(run, commands.ReleaseRun())
        assert board.show(item)["status"] == "awaiting-divine-guidance"
        assert board.wrong() == []


def board_with_one_round() -> tuple[TrialBoard, str]:
    """The architect and the test-architect have each spoken once; it is the test-architect's turn."""
    board = TrialBoard(preset_flow())
    item = board.add(column="arch")
    board.effort("architect-agent", "done")
    board.effort("test-architect", "disputed", comments=[{"content": "no"}])
    board.effort("architect-agent", "disputed", comments=[{"content": "yes", "parent": "c001"}])
    return board, item


@pytest.mark.ledger("R-12")
def test_rounds_beyond_the_new_limit_trip_the_breaker_when_the_run_ends() -> None:
    board, item = board_with_one_round()
    with board:
        run = board.claim("test-architect")
        board.engine.adopt_flow(ANN, limited(preset_flow(), dispute_rounds=1), "")
        board.engine.handle_run(run, commands.ReleaseRun())
        assert board.show(item)["status"] == "needs-human-review"
        assert board.wrong() == []


@pytest.mark.ledger("R-12")
def test_an_item_that_asks_already_is_flagged_too() -> None:
    board, item = board_with_one_round()
    with board:
        board.effort("test-architect", "asks", question={"question": "which?"})
        board.engine.adopt_flow(ANN, limited(preset_flow(), dispute_rounds=1), "")
        assert [question["kind"] for question in board.show(item)["questions"]] == ["clarification", "dispute"]
        assert board.wrong() == []


@pytest.mark.ledger("R-11")
def test_an_item_that_only_waits_for_its_children_is_asked_nothing() -> None:
    board, item = board_with_three_attempts()
    with board:
        run = board.claim("dev-agent")
        child = board.add(parent=item)
        board.report(run, "done")
        assert (board.show(item)["column"], board.show(item)["status"]) == ("done", "waiting")
        board.engine.adopt_flow(ANN, limited(LINE, attempts=3), "")
        assert board.inbox() == [] and board.wrong() == []
        board.effort("dev-agent", "done")
        assert (board.show(child)["status"], board.show(item)["status"]) == ("done", "done")
