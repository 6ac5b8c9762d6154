"""The checker is checked: whatever is broken on purpose is seen, under the name of the promise it breaks."""

from typing import Any

import pytest

from folkmoot.engine.checking.doctor import examine
from folkmoot.engine.checking.invariants import CHECKS, ONLY_IN_MOTION
from folkmoot.engine.engine import Engine
from folkmoot.sim.run import Outcome, simulate
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.testing.clock import VirtualClock
from tests.sim.defects import DEFECTS, Defect

SEEDS = range(20)  # enough to see each; most are seen in the first
STEPS, AGENTS, ITEMS = 400, 8, 25


class LeftOpen:
    """A board that can still be looked at when its world has ended."""

    def __init__(self, store: SqliteStore) -> None:
        self.board = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.board, name)

    def close(self) -> None:
        pass


def world_with(defect: Defect, seed: int) -> tuple[Outcome, SqliteStore]:
    store = SqliteStore.create(":memory:", durable=False)
    if defect.open_up:
        defect.open_up(store)
    outcome = simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS, stores=[LeftOpen(store)], flow=defect.flow)
    return outcome, store


def seen(found: list[str]) -> set[str]:
    return {words.split(":")[0].split(" ")[0] for words in found}


def test_every_check_has_a_planted_defect() -> None:
    assert {defect.check for defect in DEFECTS} == set(CHECKS)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.check}: {defect.name}")
def test_a_planted_defect_is_seen_under_its_name(defect: Defect) -> None:
    heard: list[set[str]] = []
    for seed in (defect.first + number for number in SEEDS):
        with pytest.MonkeyPatch.context() as patch:
            defect.plant(patch)
            outcome, store = world_with(defect, seed)
        heard.append(seen(outcome.red))
        if defect.check in heard[-1]:
            if defect.alone:
                assert heard[-1] == {defect.check}
            traced = defect.in_log and defect.check not in ONLY_IN_MOTION
            # What was only heard, and not written, leaves no trace: then another world must leave one.
            if not traced or defect.check in doctors_word(store):
                store.close()
                return
        store.close()
    pytest.fail(f"{defect.name} was not seen as {defect.check} in {len(SEEDS)} worlds; seen: {heard}")


def doctors_word(store: SqliteStore) -> set[str]:
    """What an examination of the board finds afterwards, by the true code."""
    board = Engine(store, VirtualClock(), _NoIds())
    return {check["check"] for check in examine(board)["checks"] if not check["ok"]}


class _NoIds:
    def run(self) -> str:
        raise AssertionError("a doctor claims nothing")

    def message(self) -> str:
        raise AssertionError("a doctor sends nothing")

    def jitter(self) -> float:
        raise AssertionError("a doctor claims nothing")


def test_a_sound_world_is_green() -> None:
    assert [simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS).red for seed in SEEDS[:4]] == [[]] * 4
