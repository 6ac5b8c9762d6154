"""Two hundred lives of a board, each from one number, each checked after every command. Fifty of them are lived in
every run, the others in the long tests."""

from pathlib import Path
from typing import Any

import pytest

from folkmoot.sim import people
from folkmoot.sim.flows import flow_of, variant
from folkmoot.sim.run import simulate, two_connections
from tests.some import some

STEPS, AGENTS, ITEMS = 160, 10, 60
BATCH = 10


def batches(first: int, long: int, last: int) -> list[Any]:
    """The first seed of each batch; from `long` on they are lived in the long tests only."""
    marks = [pytest.mark.slow]
    return [pytest.param(seed, marks=marks if seed >= long else ()) for seed in range(first, last, BATCH)]


FIRST_SEEDS = batches(0, 30, 200)
# A life to its end takes many steps for each item, so these worlds are smaller.
WHOLE_STEPS, WHOLE_ITEMS = 80, 10
FIRST_WHOLE_SEEDS = batches(400, 410, 450)
KEPT = Path(__file__).parent / "kept_seeds.txt"


def kept_seeds() -> list[tuple[int, str, int, int, int, str]]:
    """Every seed that once went wrong: seed, flow, steps, agents, items, why."""
    lines = [line.split(maxsplit=5) for line in KEPT.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [
        (int(seed), flow, int(steps), int(agents), int(items), why) for seed, flow, steps, agents, items, why in lines
    ]


@pytest.mark.ledger("K-01", "R-02", "R-11", "R-12", "R-18", "R-29", "R-31")
@pytest.mark.parametrize("first", FIRST_SEEDS)
def test_nothing_goes_wrong_in_any_life(first: int) -> None:
    seeds = range(first, first + BATCH)
    outcomes = [simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS, to_the_end=False) for seed in seeds]
    assert [outcome.line() for outcome in outcomes if outcome.red] == []
    # A world in which nothing happened would show nothing.
    assert sum(outcome.claims for outcome in outcomes) > BATCH * AGENTS
    assert sum(outcome.events for outcome in outcomes) > BATCH * STEPS


@pytest.mark.ledger("R-03", "R-33")
@pytest.mark.parametrize("first", FIRST_WHOLE_SEEDS)
def test_every_item_ends_when_good_agents_and_a_person_are_left(first: int) -> None:
    seeds = range(first, first + BATCH)
    outcomes = [simulate(seed, steps=WHOLE_STEPS, agents=AGENTS, items=WHOLE_ITEMS) for seed in seeds]
    assert [outcome.line() for outcome in outcomes if outcome.red] == []
    assert sum(outcome.claims for outcome in outcomes) >= BATCH * WHOLE_ITEMS


@pytest.mark.parametrize("kept", kept_seeds(), ids=lambda kept: f"{kept[1]} {kept[0]}")
def test_what_once_went_wrong_goes_well(kept: tuple[int, str, int, int, int, str]) -> None:
    seed, name, steps, agents, items, why = kept
    flow = variant(name, seed) if name != "any" else None
    outcome = simulate(seed, steps=steps, agents=agents, items=items, flow=flow)
    assert outcome.red == [], f"{outcome.line()}; it was red before: {why}"


@pytest.mark.ledger("R-03")
def test_a_task_that_waits_for_its_whole_does_not_stop_a_world_in_which_most_items_declare_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It kept its paths from the whole that it waited for, and nobody saw the circle."""
    monkeypatch.setattr(people, "FILES_RATE", 0.6)
    outcome = simulate(8, steps=400, agents=8, items=25, flow=flow_of("quest"))
    assert outcome.red == [], outcome.line()


@pytest.mark.parametrize("seed", some([1, 2, 3], [1]))
def test_the_same_seed_gives_the_same_life(seed: int) -> None:
    lives = [simulate(seed, steps=WHOLE_STEPS, agents=AGENTS, items=WHOLE_ITEMS) for _ in range(2)]
    assert lives[0].trace == lives[1].trace
    assert lives[0] == lives[1]


def test_another_seed_gives_another_life() -> None:
    lives = {simulate(seed, steps=50, agents=AGENTS, items=ITEMS, to_the_end=False).trace for seed in range(5)}
    assert len(lives) == 5


@pytest.mark.ledger("R-02")
@pytest.mark.parametrize("seed", some(range(300, 305), [300, 301]))
def test_two_processes_on_one_file_live_as_one_in_memory(seed: int, tmp_path: Path) -> None:
    in_file = simulate(
        seed, steps=WHOLE_STEPS, agents=AGENTS, items=WHOLE_ITEMS, stores=two_connections(str(tmp_path / "board.db"))
    )
    assert in_file.red == []
    assert in_file == simulate(seed, steps=WHOLE_STEPS, agents=AGENTS, items=WHOLE_ITEMS)
