"""What a move would do is found by the rules themselves: what is told is what comes of it, and nothing is written."""

from typing import Any

import pytest

from folkmoot.api.screen import MoveView, ShowMoves, WhoAmI
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.errors import MootError
from folkmoot.testing.builders import PERSON, TrialBoard, line_flow, preset_flow

KANBAN = preset_flow()


def moves(board: TrialBoard, item: str) -> dict[str, MoveView]:
    told = board.application.asked_by(PERSON)(ShowMoves(item=item))
    assert told.item == item and told.version == board.show(item)["version"]
    return {one.column: one for one in told.moves}


def ready(board: TrialBoard) -> str:
    return board.add(column="dev")


def running(board: TrialBoard) -> str:
    item = ready(board)
    board.claim("dev-agent", item=item)
    return item


def asking(board: TrialBoard) -> str:
    item = ready(board)
    board.report(board.claim("dev-agent", item=item), "asks", question={"question": "Which one?"})
    return item


def failed_often(board: TrialBoard) -> str:
    item = ready(board)
    for approach in ("by hand", "by machine"):
        board.effort("dev-agent", "failed", attempts=[{"approach": approach}], cause="capability")
        board.sleep(600)
    return item


def ended(board: TrialBoard) -> str:
    item = ready(board)
    board.on(item, commands.CancelItem())
    return item


def lapsed(board: TrialBoard) -> str:
    """Nobody has written yet that its run is over."""
    item = running(board)
    board.sleep(KANBAN.limits.lease + 1)
    return item


@pytest.mark.parametrize("made", [ready, running, asking, failed_often, ended, lapsed])
def test_what_is_told_of_every_move_is_what_comes_of_it(made: Any) -> None:
    for column in KANBAN.columns:
        with TrialBoard(KANBAN) as board:
            item = made(board)
            last = board.application.last()
            told = moves(board, item)[column]
            assert board.application.last() == last, "a look writes nothing"
            assert list(moves(board, item)) == list(KANBAN.columns)
            allowed, code, why = outcome(board, item, column)
            assert (told.allowed, told.code) == (allowed, code) and why.startswith(told.why) and told.why


def outcome(board: TrialBoard, item: str, column: str) -> tuple[bool, str | None, str]:
    """What comes of the move itself."""
    try:
        view = board.on(item, commands.MoveItem(column=column))
    except MootError as error:
        return False, error.code, error.message
    return True, None, view["why"]


def test_what_a_move_resets_is_named() -> None:
    with TrialBoard(KANBAN) as board:
        told = moves(board, failed_often(board))["review"].resets
        assert told[:2] == ["attempts 2 -> 0", "attempts since guidance 2 -> 0"]
        assert "the run of dev-agent ends" in moves(board, running(board))["review"].resets
        assert "question q1 is withdrawn" in moves(board, asking(board))["review"].resets
        assert moves(board, ready(board))["review"].resets == []


def test_who_asks_is_told_as_whom_by_the_role_that_the_door_knows() -> None:
    with TrialBoard(line_flow("dev")) as board:
        board.add()
        run = board.claim("dev-agent")
        ask = board.application.asked_by
        assert ask(Actor("ada"), "observer")(WhoAmI()).role == "observer"
        assert ask(Actor("ada"), "person")(WhoAmI()).role == "person"
        assert ask(run, "run")(WhoAmI()).role == ask(run)(WhoAmI()).role == "run"
        me = ask(Actor("ada"))(WhoAmI())
        assert (me.name, me.role, me.board, me.flow) == ("ada", "owner", "trial", "line")
