"""What came of a landing that ended before it could say so: git knows, and the board says it, whatever the item is."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, TrialBoard
from tests.core.test_landing import SHORT, made, record

ENGINE = Actor("folkmoot")


def settle(board: TrialBoard, item: str, *, moved: bool, new: str = "m1") -> None:
    command = commands.SettleLanding(branch="main", new=new, moved=moved)
    board.engine.act(ENGINE, command, item)


def begun(board: TrialBoard) -> tuple[str, Actor]:
    item = made(board)
    run = board.claim("landing")
    record(board, run, "src/a.py")
    return item, run


@pytest.mark.ledger("R-19")
def test_a_cancelled_item_says_that_its_work_is_on_the_branch() -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        board.on(item, commands.CancelItem(why="not wanted"))
        settle(board, item, moved=True)
        row = board.item(item)
        assert (row.status, row.landed, row.landed_on, row.landing, row.head) == ("cancelled", "m1", "main", None, None)
        assert row.because == "not wanted; its work was on main already"
        settle(board, item, moved=False)
        assert board.item(item) == row
        with pytest.raises(Refused):
            board.bring(run, commit="m1")


@pytest.mark.ledger("R-19")
def test_a_move_that_was_not_made_is_forgotten_and_the_work_kept() -> None:
    with SoundBoard(SHORT) as board:
        item, _ = begun(board)
        board.on(item, commands.CancelItem())
        settle(board, item, moved=False)
        row = board.item(item)
        assert (row.status, row.landed, row.landing, row.head) == ("cancelled", None, None, "c1")


def test_a_landing_that_is_at_work_or_to_come_says_it_itself() -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        for _ in range(2):
            settle(board, item, moved=True)
            assert board.item(item).landed is None and board.item(item).landing is not None
            if board.item(item).run is not None:
                board.engine.handle_run(run, commands.ReleaseRun())


@pytest.mark.ledger("R-19", "R-03")
def test_what_was_put_aside_after_its_branch_had_moved_has_landed_when_it_is_taken_up() -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        board.engine.handle_run(run, commands.ReleaseRun())
        board.on(item, commands.ParkItem())
        settle(board, item, moved=True)
        row = board.item(item)
        assert (row.status, row.landed, row.head) == ("parked", "m1", None)
        board.on(item, commands.UnparkItem())
        assert board.item(item).status == "done", "nothing of it is left to land"


def test_another_move_than_the_one_that_was_looked_for_is_left_open() -> None:
    with SoundBoard(SHORT) as board:
        item, _ = begun(board)
        board.on(item, commands.CancelItem())
        settle(board, item, moved=True, new="m0")
        assert board.item(item).landing is not None and board.item(item).landed is None


def test_a_run_settles_nothing() -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        with pytest.raises(Refused) as told:
            board.engine.handle_item(run, item, commands.SettleLanding(branch="main", new="m1", moved=True))
        assert told.value.code == "only_people"


# Branch and board together


def done(commit: str = "m1") -> commands.ReportRun:
    return commands.ReportRun(report=Report.done("landed", commit=commit))


@pytest.mark.ledger("R-19", "R-27")
def test_the_branch_moves_last_and_only_for_the_current_run() -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        moved: list[str] = []

        def fails(commit: str) -> None:
            raise Refused("branch_not_moved", "git says no")

        with pytest.raises(Refused, match="git says no"):
            board.engine.land(run, done(), fails)
        assert board.item(item).run == run.run and board.item(item).landing is not None
        board.engine.land(run, done(), moved.append)
        assert moved == ["m1"] and board.item(item).status == "done"
        with pytest.raises(Refused, match="not the current run"):
            board.engine.land(run, done(), moved.append)
        assert moved == ["m1"]


@pytest.mark.ledger("R-19", "R-16")
@pytest.mark.parametrize("word", [commands.CancelItem(), commands.MoveItem(column="dev")])
def test_after_a_persons_word_nothing_moves(word: commands.Command) -> None:
    with SoundBoard(SHORT) as board:
        item, run = begun(board)
        board.on(item, word)
        moved: list[str] = []
        with pytest.raises(Refused, match="not the current run"):
            board.engine.land(run, done(), moved.append)
        assert moved == []


def test_what_the_rules_turn_into_a_failure_moves_nothing() -> None:
    with SoundBoard(SHORT) as board:
        _, run = begun(board)
        moved: list[str] = []
        board.engine.land(run, commands.ReportRun(report=Report.failed("a conflict", "conflict")), moved.append)
        assert moved == []


@pytest.mark.ledger("R-19", "R-29")
def test_a_lease_that_is_over_moves_nothing_though_nobody_has_swept_it_yet() -> None:
    with SoundBoard(SHORT) as board:
        for number in range(20):  # more than one command sweeps
            board.add(files=[f"other/{number}.py"])
            board.claim("d")
        _, run = begun(board)
        board.clock.move_to(board.clock.time + 100_000)
        moved: list[str] = []
        with pytest.raises(Refused, match=r"its lease ended|not the current run"):
            board.engine.land(run, done(), moved.append)
        assert moved == []


def test_a_key_that_is_repeated_moves_nothing_again() -> None:
    with SoundBoard(SHORT) as board:
        _, run = begun(board)
        moved: list[str] = []
        first = board.engine.land(run, done(), moved.append, key="k")
        assert board.engine.land(run, done(), moved.append, key="k") == first and moved == ["m1"]
