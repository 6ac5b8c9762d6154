"""Several trials, a seed each: how one is played, and the table that those of one flow make."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.errors import MootError
from folkmoot.sim.population.curves import curves_view
from folkmoot.sim.population.population import Population
from folkmoot.sim.population.tally import Tally, tally, whole_view
from folkmoot.sim.population.trial import Broken, Trial


class Side(Struct, frozen=True, kw_only=True):
    """A flow with those who work in it: one of two that are compared, or the only one."""

    label: str
    flow: Flow
    population: Population
    slots: int


class Job(Struct, frozen=True):
    """One trial to be played. Trials know nothing of each other: they may be played in any order and place."""

    side: Side
    seed: int

    def play(self) -> Tally:
        return play_trial(self.side.flow, self.side.population, self.seed, self.side.slots)


# Plays all jobs, and gives what they came to in the order of the jobs.
Players = Callable[[list[Job]], Iterable[Tally]]


def one_by_one(jobs: list[Job]) -> Iterator[Tally]:
    return (job.play() for job in jobs)


def side_of(
    flow: Flow, population: Population, *, label: str = "", items: int | None = None, slots: int | None = None
) -> Side:
    if items is not None:
        population = replace(population, items=replace(population.items, count=items))
    return Side(label=label or flow.name, flow=flow, population=population, slots=slots or flow.limits.slots)


def try_flow(
    flow: Flow, population: Population, seeds: Iterable[int], *, items: int | None = None, slots: int | None = None
) -> dict[str, Any]:
    """Play a trial for each seed. Whatever is broken is named in the answer, with its seed, and never raised."""
    return try_side(side_of(flow, population, items=items, slots=slots), seeds)


def try_side(side: Side, seeds: Iterable[int], play: Players = one_by_one) -> dict[str, Any]:
    tallies = list(play([Job(side, seed) for seed in seeds]))
    return {**side_view(side, tallies), "plots": curves_view([tallies])}


def side_view(side: Side, tallies: list[Tally]) -> dict[str, Any]:
    about = {"flow": side.flow.name, "population": side.population.name, "slots": side.slots}
    return {**about, **whole_view(side.flow, tallies)}


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
