"""In which of its worlds a planted defect is seen; and a note of it, so that the next search begins there.

`python -m tests.sim.seeing` writes the note anew. It only orders the search: a note that is old or missing costs time,
never a verdict. Of the worlds that show a defect it names the one that shows it soonest.
"""

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.checking.invariants import ONLY_IN_MOTION
from folkmoot.engine.engine import Engine
from folkmoot.sim.run import Outcome, simulate
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.clock import VirtualClock
from tests.sim.defects import DEFECTS, Defect

SEEDS = range(20)  # enough to see each; most are seen in the first
STEPS, AGENTS, ITEMS = 400, 8, 25
SOON = 120  # steps: to look for a world that shows a defect sooner would save little
MORE_WORLDS = 4  # in which is looked whether they show it sooner
NOTE = Path(__file__).parent / "seen_seeds.txt"
ABOUT = (
    "# Where each planted defect is seen soonest: its seed, and the defect. `python -m tests.sim.seeing` writes this.\n"
)


class LeftOpen:
    """A board that can still be looked at when its world has ended."""

    def __init__(self, store: SqliteStore) -> None:
        self.board = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.board, name)

    def close(self) -> None:
        pass


class Life(Struct, frozen=True):
    """One world with a defect in it: what was heard, whether the defect was seen, and after how many steps it ended."""

    heard: set[str]
    seen: bool
    steps: int


class Sight(Struct, frozen=True):
    """What was heard in each world that was lived, and the seed of the one in which the defect was seen."""

    seed: int | None
    heard: list[set[str]]


def title(defect: Defect) -> str:
    return f"{defect.check}: {defect.name}"


def noted() -> dict[str, int]:
    """The defects of the note, and their seeds."""
    lines = [line.split(maxsplit=1) for line in NOTE.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {name: int(seed) for seed, name in lines}


def seeds_of(defect: Defect, note: dict[str, int]) -> list[int]:
    """The worlds of a defect, the noted one first. Which they are does not depend on the note."""
    seeds = [defect.first + number for number in SEEDS]
    return sorted(seeds, key=lambda seed: seed != note.get(title(defect)))


def search(defect: Defect, note: dict[str, int]) -> Sight:
    """Live through the worlds until the defect is seen."""
    heard: list[set[str]] = []
    for seed in seeds_of(defect, note):
        life = lived(defect, seed)
        heard.append(life.heard)
        if life.seen:
            return Sight(seed, heard)
    return Sight(None, heard)


def lived(defect: Defect, seed: int) -> Life:
    """Live through one world. The defect is seen there if it has left its trace where it must leave one."""
    with pytest.MonkeyPatch.context() as patch:
        defect.plant(patch)
        outcome, store = world_with(defect, seed)
    heard = seen(outcome.red)
    traced = defect.in_log and defect.check not in ONLY_IN_MOTION
    # What was only heard, and not written, leaves no trace: then another world must leave one.
    found = defect.check in heard and (not traced or defect.check in doctors_word(store))
    store.close()
    return Life(heard, found, outcome.steps)


def soonest(defect: Defect, note: dict[str, int]) -> int | None:
    """The seed of the first world in which the defect is seen, or of one of the next that shows it sooner."""
    steps: dict[int, int] = {}
    more = MORE_WORLDS
    for seed in seeds_of(defect, note):
        life = lived(defect, seed)
        if life.seen:
            steps[seed] = life.steps
        more -= bool(steps)
        if steps and (more < 0 or min(steps.values()) <= SOON):
            break
    return min(steps, key=lambda seed: steps[seed], default=None)


def world_with(defect: Defect, seed: int) -> tuple[Outcome, SqliteStore]:
    store = SqliteStore.create(":memory:", durable=False)
    if defect.open_up:
        defect.open_up(store)
    with pytest.MonkeyPatch.context() as patch:
        if defect.amid:
            defect.amid(patch)
        outcome = simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS, stores=[LeftOpen(store)], flow=defect.flow)
    return outcome, store


def seen(found: list[str]) -> set[str]:
    return {words.split(":")[0].split(" ")[0] for words in found}


def doctors_word(store: SqliteStore) -> set[str]:
    """What an examination of the board finds afterwards, by the true code."""
    board = Engine(store, VirtualClock(), _NoIds())
    return {check.check for check in examine(board).checks if not check.ok}


class _NoIds:
    def run(self) -> str:
        raise AssertionError("a doctor claims nothing")

    def message(self) -> str:
        raise AssertionError("a doctor sends nothing")

    def jitter(self) -> float:
        raise AssertionError("a doctor claims nothing")


def line_of(number: int) -> str:
    defect = DEFECTS[number]
    seed = soonest(defect, noted())
    return "" if seed is None else f"{seed:4} {title(defect)}\n"


def main() -> None:
    NOTE.touch()
    with multiprocessing.Pool() as pool:
        lines = pool.map(line_of, range(len(DEFECTS)), chunksize=1)
    NOTE.write_text(ABOUT + "".join(lines), "utf-8")


if __name__ == "__main__":
    main()
