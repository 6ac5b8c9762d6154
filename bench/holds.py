"""Lock three paths and release them, by one caller and by eight, beside one caller's statements replayed raw."""

import tempfile
from itertools import count
from pathlib import Path

from bench.board import make_board
from bench.together import Cycle, Trial, compare
from folkmoot.core.commands import Actor, LockPaths, UnlockPaths
from folkmoot.engine.engine import Engine

CYCLES = 640
ROUNDS = 15
PLACES = 20  # a caller comes back to the same paths after so many cycles, as people do


def lock_and_release(engine: Engine, caller: int) -> Cycle:
    """Each caller has paths of its own: what is measured is the price of locking, not the wait for others."""
    actor = Actor(f"person{caller}")
    turns = count()

    def cycle() -> None:
        place = f"src/part{caller}/unit{next(turns) % PLACES}"
        paths = [f"{place}/{name}.py" for name in ("code", "names", "words")]
        engine.lock(actor, LockPaths(paths=paths, seconds=60.0))
        engine.lock(actor, UnlockPaths(paths=paths))

    return cycle


def run(rounds: int = ROUNDS) -> dict[str, object]:
    trial = Trial(lock_and_release, (1, 8), CYCLES, {1: 0.6, 8: 1.2})
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        board = Path(folder) / "board.db"
        make_board(board, 10)
        return compare(board, trial, rounds)


if __name__ == "__main__":
    for what, value in run().items():
        print(f"{what:<75} {value}")
