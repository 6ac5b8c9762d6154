"""Trying a flow out: the files it takes, and the world they are handed to."""

import os
from typing import Any

from folkmoot.core.flow import Flow
from folkmoot.engine.application import Wish
from folkmoot.errors import Invalid
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import FLOW_FILE, read_preset
from folkmoot.sim.population.read import default_population, population_from
from folkmoot.sim.population.trials import try_flow

USUAL_PRESET = "kanban"


def simulate(flow: Flow | None, wish: Wish, notes: list[str]) -> dict[str, Any]:
    """Try this flow, or without one the preset that is wished for."""
    flow = flow or _preset(wish.preset or USUAL_PRESET)
    if wish.population is None:
        population = default_population(flow)
    else:
        population, warnings = population_from(_text(wish.population), os.path.normpath(wish.population), flow)
        notes = [*notes, *warnings]
    view = try_flow(flow, population, wish.seeds, items=wish.items, slots=wish.slots)
    return {**view, "notes": notes}


def _preset(name: str) -> Flow:
    files = read_preset(name)
    return load_flow(files[FLOW_FILE], FLOW_FILE, files.get)


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        hint = "write one, see docs/how-to/try-a-flow.md, or leave --population out"
        raise Invalid("unreadable_population", f"{path} cannot be read: {error}", hint) from error
