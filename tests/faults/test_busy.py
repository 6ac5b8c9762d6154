"""Many writers at once, and a reader that does not end: all get their turn, and SQLite's log shrinks again (F27)."""

from pathlib import Path

import apsw
import pytest

from tests.acceptance.moot import Moot
from tests.acceptance.test_processes import crowd
from tests.faults import scenes
from tests.faults.witness import saw

OUTCOME = "nobody is refused as busy, each item is claimed once, the log shrinks when the reader has gone, doctor green"


def storm(folder: Path, processes: int, items: int) -> dict[str, int]:
    """A reader keeps SQLite from ever beginning its log anew, while processes write beside it."""
    holding = folder / "holding"
    holding.mkdir()
    scenes.with_items(holding)
    reader = apsw.Connection(str(holding / scenes.STORE))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM items").get == 4
    moot = Moot(holding)
    for number in range(items):
        moot("add", f"more {number}")
    log = Path(f"{holding / scenes.STORE}-wal")
    grown = log.stat().st_size
    assert grown > 0
    reader.execute("COMMIT")
    reader.close()
    for number in range(3):
        moot("add", f"after it {number}")
    assert not log.exists() or log.stat().st_size < grown
    assert scenes.wrong(holding) == []
    board = folder / "crowd"
    board.mkdir()
    result = crowd("laps", board, processes, items)
    for lap in (result["lap 1"], result["lap 2"]):
        assert (lap["exit codes"], lap["claims"], lap["twice"]) == ([0], items, [])
    assert scenes.wrong(board) == []
    return {"writers": processes, "changes": 4 * items}


def test_a_storm_of_writers(tmp_path: Path) -> None:
    saw("F27", "writers at once, and a long reader", OUTCOME, **storm(tmp_path, 8, 40))


@pytest.mark.slow
def test_a_large_storm_of_writers(tmp_path: Path) -> None:
    saw("F27", "writers at once, and a long reader", OUTCOME, **storm(tmp_path, 32, 400))
