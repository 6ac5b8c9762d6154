"""Two hundred small lives of every preset, each checked after every command; a part of them to the end.
Ten of each are lived in every run, the others in the long tests."""

import pytest

from folkmoot.flows.preset import preset_names
from folkmoot.sim.flows import flow_of, variant
from folkmoot.sim.run import Outcome, simulate

SEEDS, BATCH = 200, 10
STEPS, AGENTS, ITEMS = 90, 6, 20
TO_THE_END = 5  # every fifth life is lived until nothing is left to do
WHOLE_STEPS, WHOLE_ITEMS = 45, 6


def life(name: str, seed: int) -> Outcome:
    """Every other one in the preset as it is, the others in a variant of it."""
    flow = flow_of(name) if seed % 2 else variant(name, seed)
    if seed % TO_THE_END == 0:
        return simulate(seed, steps=WHOLE_STEPS, agents=AGENTS, items=WHOLE_ITEMS, flow=flow)
    return simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS, flow=flow, to_the_end=False)


@pytest.mark.ledger("R-01", "R-03", "R-08", "R-13", "R-14", "R-20", "R-21", "R-24", "R-25", "R-26", "R-33")
@pytest.mark.parametrize(
    "first", [pytest.param(first, marks=[pytest.mark.slow] if first else []) for first in range(0, SEEDS, BATCH)]
)
@pytest.mark.parametrize("name", sorted(preset_names()))
def test_every_preset_holds_every_promise(name: str, first: int) -> None:
    outcomes = [life(name, seed) for seed in range(first, first + BATCH)]
    assert [outcome.line() for outcome in outcomes if outcome.red] == []
    assert sum(outcome.claims for outcome in outcomes) > BATCH * AGENTS


@pytest.mark.parametrize("name", sorted(preset_names()))
def test_in_every_preset_all_items_end(name: str) -> None:
    outcome = simulate(7, steps=STEPS, agents=AGENTS, items=WHOLE_ITEMS, flow=flow_of(name))
    assert outcome.red == [] and outcome.claims >= WHOLE_ITEMS
