"""Trying a flow before real agents do: virtual time, scripted agents, a table."""

import re

import click

from folkmoot.doors.cli.session import Session, common
from folkmoot.engine.application import Wish
from folkmoot.errors import Invalid, Refused

SEED_MAX = 2**63 - 1
SEEDS_MAX = 200
ITEMS_MAX = 2_000
SLOTS_MAX = 1_000
SEEDS = re.compile(r"([0-9]{1,19})(?:-([0-9]{1,19}))?")


@click.command("simulate")
@click.option("--flow", metavar="F", help="A flow file; default: the board's flow, else kanban.")
@click.option("--preset", metavar="NAME", help="A flow that Folkmoot brings along.")
@click.option("--population", metavar="FILE", help="Who works, how well, and what comes in.")
@click.option("--seed", type=click.IntRange(0, SEED_MAX), metavar="N", help="Which chance; default: 1.")
@click.option("--seeds", metavar="A-B", help="A trial for each of these seeds.")
@click.option("--items", type=click.IntRange(1, ITEMS_MAX), metavar="N", help="How many items come in.")
@click.option("--slots", type=click.IntRange(1, SLOTS_MAX), metavar="N", help="Runs at once; default: the flow's.")
@common
@click.pass_obj
def simulate_command(
    session: Session,
    flow: str | None,
    preset: str | None,
    population: str | None,
    seed: int | None,
    seeds: str | None,
    items: int | None,
    slots: int | None,
) -> None:
    """Try a flow with scripted agents, in virtual time.

    The real rules on a board in memory; nothing of yours is touched. The same flow, population and seed give the same
    table, always. It tells time, cost, questions, success, and the runs that led nowhere.

    \b
    moot simulate
    moot simulate --preset kanban --seeds 1-10
    moot simulate --flow other/flow.yaml --population team.yaml --items 100 --slots 8
    """
    if flow is not None and preset is not None:
        raise Invalid("bad_usage", "--flow and --preset both name a flow", "give one of them")
    if seed is not None and seeds is not None:
        raise Invalid("bad_usage", "--seed and --seeds both name seeds", "give one of them")
    wanted = _seeds(seeds) if seeds is not None else [1 if seed is None else seed]
    wish = Wish(flow=flow, preset=preset, population=population, seeds=wanted, items=items, slots=slots)
    view = session.boards.simulate(session.place, wish)
    session.note(view["notes"])

    def words() -> None:
        from folkmoot.doors.cli.say.simulate import simulated

        simulated(view)

    session.answer(view, words)
    for trial in view["trials"]:
        if trial["broken"]:
            found = "; ".join(trial["broken"][:3])
            words_for_it = f"with seed {trial['seed']} something that must hold did not: {found}"
            hint = f"this is a fault of Folkmoot's, not of your flow: report it with the flow and seed {trial['seed']}"
            raise Refused("trial_broken", words_for_it, hint)


def _seeds(text: str) -> list[int]:
    match = SEEDS.fullmatch(text.strip())
    first = int(match[1]) if match else 1
    last = int(match[2] or first) if match else 0
    if match is None or last < first or last > SEED_MAX:
        raise Invalid("bad_seeds", f"{text[:60]!r} names no seeds", "write them like 1-10")
    if last - first >= SEEDS_MAX:
        raise Invalid("bad_seeds", f"{last - first + 1} seeds are too many", f"at most {SEEDS_MAX} at once")
    return list(range(first, last + 1))
