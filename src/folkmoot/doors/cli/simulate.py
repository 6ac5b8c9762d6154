"""Trying flows before real agents do: virtual time, scripted agents, a table, and two of them side by side."""

import os
import re
import sys
from collections.abc import Callable
from typing import Any

import click
from msgspec.structs import replace

from folkmoot.doors.cli import render
from folkmoot.doors.cli.keyboard.patience import told_if_long
from folkmoot.doors.cli.session import GivenFile, Number, Session, View, common
from folkmoot.engine.application import SimulationRequest
from folkmoot.errors import Invalid, Refused

SEED_MAX = 2**63 - 1
SEEDS_MAX = 200
SEEDS_OF_A_COMPARISON = range(1, 11)
ITEMS_MAX = 2_000
SLOTS_MAX = 1_000
SEEDS = re.compile(r"([0-9]{1,19})(?:-([0-9]{1,19}))?")
SLOTS = Number(1, SLOTS_MAX)


@click.command("simulate")
@click.option("--flow", type=GivenFile(), metavar="F", help="A flow file; default: the board's flow, else kanban.")
@click.option("--preset", metavar="NAME", help="A flow that Folkmoot brings along.")
@click.option(
    "--ladder",
    "ladders",
    multiple=True,
    type=GivenFile(),
    metavar="L",
    help="AGENT=0-1:MODEL,2+:MODEL, or a ladder file.",
)
@click.option("--population", type=GivenFile(), metavar="FILE", help="Who works, how well, and what comes in.")
@click.option("--against", type=GivenFile(), metavar="F", help="Compare with this flow: a preset or a file.")
@click.option(
    "--against-ladder",
    "against_ladders",
    multiple=True,
    type=GivenFile(),
    metavar="L",
    help="Compare with this ladder.",
)
@click.option("--against-population", type=GivenFile(), metavar="FILE", help="Compare with this population.")
@click.option("--against-slots", type=SLOTS, metavar="N", help="Compare with so many runs at once.")
@click.option("--seed", type=Number(0, SEED_MAX), metavar="N", help="Which chance; default: 1.")
@click.option("--seeds", metavar="A-B", help="A trial for each of these seeds; default of a comparison: 1-10.")
@click.option("--items", type=Number(1, ITEMS_MAX), metavar="N", help="How many items come in.")
@click.option("--slots", type=SLOTS, metavar="N", help="Runs at once; default: the flow's.")
@click.option("--calibrate", is_flag=True, help="Write a population with the figures of this board.")
@common
@click.pass_obj
def simulate_command(session: Session, /, calibrate: bool, **options: Any) -> None:
    """Try a flow with scripted agents, in virtual time.

    The real rules on a board in memory; nothing of yours is touched. The same flow, population and seed give the same
    table, always. It tells time, cost, questions, success, and the runs to nowhere.

    With --against two sides meet the same items with the same luck, and the table tells what differs, and what may be
    chance. What is not named for the other side is the same on both.

    \b
    Examples:
      moot simulate --preset kanban --seeds 1-20
      moot simulate --against handoff
      moot simulate --against-ladder dev-agent=0-1:haiku,2-3:sonnet,4+:escalate
      moot simulate --calibrate > team.yaml

    See also: moot check, moot metrics.
    """
    if calibrate:
        _calibrate(session, options)
        return
    request = _request(options, _progress())
    with told_if_long("playing the flow"):
        view = session.boards.simulate(session.board_dir, request)
    session.note(view["notes"])
    session.answer(view, lambda: _say(view))
    _check_trials(view)


def _request(options: dict[str, Any], tell: Callable[[int, int], None] | None) -> SimulationRequest:
    seed, seeds = options.pop("seed"), options.pop("seeds")
    if options["flow"] is not None and options["preset"] is not None:
        raise Invalid("bad_usage", "--flow and --preset both name a flow", "give one of them")
    if seed is not None and seeds is not None:
        raise Invalid("bad_usage", "--seed and --seeds both name seeds", "give one of them")
    options["ladders"], options["against_ladders"] = list(options["ladders"]), list(options["against_ladders"])
    request = SimulationRequest(**options, tell=tell)
    usual = list(SEEDS_OF_A_COMPARISON) if request.compares else [1]
    return replace(request, seeds=_seeds(seeds) if seeds is not None else usual if seed is None else [seed])


def _say(view: View) -> None:
    if "sides" in view:
        from folkmoot.doors.cli.render.plot.compared import compared

        compared(view)
    else:
        render.simulate.simulated(view)


def _calibrate(session: Session, options: dict[str, Any]) -> None:
    if any(options.values()):
        raise Invalid("bad_usage", "--calibrate looks at the board, and tries nothing", "leave the other options out")
    view = session.boards.simulate(session.board_dir, SimulationRequest(calibrate=True))
    session.answer(view, lambda: click.echo(view["population"], nl=False))


def _progress() -> Callable[[int, int], None] | None:
    """A line that a person at a terminal sees while it takes long; nobody else gets it."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None

    def tell(over: int, of: int) -> None:
        words = f"\r\x1b[K{over} of {of} trials" if 0 < over < of else "\r\x1b[K"
        sys.stderr.write(words if of > 1 else "")
        sys.stderr.flush()

    return tell


def _check_trials(view: View) -> None:
    """A broken promise is told after the answer, with the seed to report."""
    for side in view["sides"].values() if "sides" in view else [view]:
        for trial in side["trials"]:
            if trial["broken"]:
                found, seed = "; ".join(trial["broken"][:3]), trial["seed"]
                raise Refused(
                    "trial_broken",
                    "with seed {seed} something that must hold did not: {found}",
                    "this is a fault of Folkmoot's, not of your flow: report it with the flow and seed {seed}",
                    seed,
                    found,
                )


def _seeds(text: str) -> list[int]:
    match = SEEDS.fullmatch(text.strip())
    first = int(match[1]) if match else 1
    last = int(match[2] or first) if match else 0
    if match is None or last < first or last > SEED_MAX:
        raise Invalid("bad_seeds", "{text!r} names no seeds", "write them like 1-10", text[:60])
    if last - first >= SEEDS_MAX:
        raise Invalid("bad_seeds", "{count} seeds are too many", "at most {limit} at once", last - first + 1, SEEDS_MAX)
    return list(range(first, last + 1))
