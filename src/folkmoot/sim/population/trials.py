"""Several trials of one flow, a seed each, and the table they make."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.errors import MootError
from folkmoot.sim.population.population import Population
from folkmoot.sim.population.tally import Tally, tally, whole_view
from folkmoot.sim.population.trial import Broken, Trial


def try_flow(
    flow: Flow, population: Population, seeds: Iterable[int], *, items: int | None = None, slots: int | None = None
) -> dict[str, Any]:
    """Play a trial for each seed. Whatever is broken is named in the answer, with its seed, and never raised."""
    if items is not None:
        population = replace(population, items=replace(population.items, count=items))
    slots = slots or flow.limits.slots
    tallies = [play_trial(flow, population, seed, slots) for seed in seeds]
    return {"flow": flow.name, "population": population.name, "slots": slots, **whole_view(flow, tallies)}


def play_trial(flow: Flow, population: Population, seed: int, slots: int) -> Tally:
    trial = Trial(flow, population, seed, slots)
    broken: list[str] = []
    try:
        trial.play()
    except Broken as fault:
        broken = fault.found
    except MootError as error:
        broken = [f"the engine refused what the rules allow ({error.code}): {error.message}"]
    except Exception as fault:
        # A user should get the seed to report, and the trials that went well.
        broken = [f"the engine broke: {type(fault).__name__}: {fault}"]
    finally:
        trial.close()
    return tally(trial, broken)
