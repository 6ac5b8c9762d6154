"""Of all machines of a board one does what one of them does."""

import pytest

from folkmoot.engine.screen.turns import HELD_SECONDS, PLACE, begin, end, since
from folkmoot.testing.builders import TrialBoard, preset_flow


@pytest.mark.parametrize(
    ("by", "is_over", "later", "seconds", "begins"),
    [
        ("a", True, 60.0, 60.0, True),
        ("b", True, 60.0, 60.0, True),
        ("b", True, 30.0, 60.0, False),
        ("b", True, 0.0, 0.0, True),  # now, whenever the last one was
        ("b", False, 60.0, 0.0, False),  # another machine is at it
        ("a", False, 60.0, 0.0, True),  # its own lock has told that nobody is
        ("b", False, HELD_SECONDS, 60.0, True),  # it is gone
        ("b", True, -10.0, 60.0, True),  # by a clock that went otherwise
    ],
)
def test_one_machine_begins_when_it_is_time(by: str, is_over: bool, later: float, seconds: float, begins: bool) -> None:
    with TrialBoard(preset_flow()) as board:
        engine = board.engine
        board.clock.move_to(1_000.0)
        assert since(engine, "forge") is None and begin(engine, "forge", "a", 60.0)
        if is_over:
            end(engine, "forge", "a")
        board.clock.move_to(1_000.0 + later)
        board.clock.turn_back(max(0.0, -later))
        assert begin(engine, "other", by, 60.0), "of another kind"
        assert begin(engine, "forge", by, seconds) is begins


def test_what_another_program_has_written_there_is_let_lie() -> None:
    with TrialBoard(preset_flow()) as board:
        board.engine.store.transact(lambda tx: tx.keep_output(PLACE, 1, '{"turn": 1}', 0))
        assert begin(board.engine, "forge", "a", 60.0)
        assert len(board.engine.store.read(lambda reading: reading.output(PLACE, 0, 9))) == 2
