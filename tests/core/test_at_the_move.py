"""Gates, rights and holds are asked again by the report that moves a branch: what was written down may be old."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.core.work import Touched
from folkmoot.errors import Refused
from folkmoot.testing.builders import SoundBoard, small_flow
from tests.core.test_landing import GREEN, LINE, through

ANN = Actor("ann")
PATHS = [Touched("src/a.py")]
STRICTER = small_flow("""
columns: {dev: {agents: [d], next: look, gate: [ward]}, look: {agents: [r], next: done, fix: dev}}
agents: {d: {may: [ask, split, delegate, dispatch]}, r: {write: none}}
gates: {ward: {run: ["false"]}}
""")


def written_down(board: SoundBoard) -> tuple[str, Actor]:
    item = through(board)
    run = board.claim("landing")
    record = commands.RecordLanding(branch="main", old="t", new="m1", tree="t1", touched=PATHS, evidence=[GREEN])
    board.engine.handle_run(run, record)
    return item, run


def landed(moves: list[Touched] | None) -> commands.ReportRun:
    return commands.ReportRun(report=Report.done("landed", commit="m1"), evidence=[GREEN], moves=moves, final=True)


@pytest.mark.ledger("R-19", "R-21")
def test_a_gate_with_another_command_must_be_green_by_it() -> None:
    with SoundBoard(LINE) as board:
        item, run = written_down(board)
        board.engine.adopt_flow(ANN, STRICTER, "")
        with pytest.raises(Refused, match="ward is not green"):
            board.engine.handle_run(run, landed(PATHS))
        assert board.item(item).landed is None and board.item(item).run == run.run


@pytest.mark.ledger("R-20")
def test_a_path_that_somebody_has_locked_since_is_waited_for() -> None:
    with SoundBoard(LINE) as board:
        item, run = written_down(board)
        board.engine.lock(ANN, commands.LockPaths(paths=["src/a.py"], seconds=60))
        moved: list[str] = []
        board.engine.land(run, landed(PATHS), moved.append)
        row = board.item(item)
        assert moved == [] and row.landed is None and row.run is None and "held by ann" in (row.because or "")


@pytest.mark.ledger("R-19")
def test_a_move_that_was_made_is_taken_in_whatever_holds_by_now() -> None:
    """What git shows is what the board says: only a move that is yet to come is asked about."""
    with SoundBoard(LINE) as board:
        item, run = written_down(board)
        board.engine.adopt_flow(ANN, STRICTER, "")
        board.engine.handle_run(run, landed(None))
        assert board.item(item).landed == "m1"
