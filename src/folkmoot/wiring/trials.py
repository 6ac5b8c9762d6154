"""Trying flows out: the files that takes, and the world they are handed to."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from folkmoot.core.flow import RUNG_ESCALATE, Flow
from folkmoot.engine.application import SimulationRequest
from folkmoot.errors import Invalid
from folkmoot.flows.faults import did_you_mean, shown
from folkmoot.flows.ladder_file import read_ladder_file
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import FLOW_FILE, preset_names, read_preset
from folkmoot.sim.population.compare import compare
from folkmoot.sim.population.ladders import is_said, read_said, with_ladders
from folkmoot.sim.population.population import OTHERS, Population
from folkmoot.sim.population.read import default_population, population_from
from folkmoot.sim.population.trials import Side, side_of, try_side
from folkmoot.wiring.process_pool import play_all

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

USUAL_PRESET = "kanban"
ReadFlow = Callable[[str], tuple[Flow, list[str]]]


def simulate(flow: Flow | None, request: SimulationRequest, notes: list[str], read_flow: ReadFlow) -> dict[str, Any]:
    """Try this flow, or without one the preset that is wished for; alone, or against another side."""
    notes = list(notes)
    base = flow or _preset(request.preset or USUAL_PRESET)
    other = _other(request.against, read_flow, notes) if request.against else base
    a = _with(base, request.ladders, "--ladder", notes)
    play = partial(play_all, tell=request.tell)
    if not request.compares:
        population = _population(request.population, [a], "--population", notes)[0]
        notes += _strangers(request.ladders, a, population)
        return {
            **try_side(side_of(a, population, items=request.items, slots=request.slots), request.seeds, play),
            "notes": notes,
        }
    b = _with(other, _their_ladders(request), "--against-ladder", notes)
    ours, theirs = _population(request.population, [a, b], "--population", notes)
    if request.against_population:
        theirs = _population(request.against_population, [b, a], "--against-population", notes)[0]
    notes += [*_strangers(request.ladders, a, ours), *_strangers(request.against_ladders, b, theirs)]
    slots = request.against_slots or request.slots
    names = _names(request, base)
    first = side_of(a, ours, label=names[0], items=request.items, slots=request.slots)
    second = side_of(b, theirs, label=names[1], items=request.items, slots=slots)
    notes += _doubts(first, second)
    return {**compare(first, second, request.seeds, play), "notes": notes}


def calibrate(board: "Application") -> dict[str, Any]:
    """A population with the figures of this board, as the text of a file."""
    from folkmoot.sim.population.calibrate import calibrated

    flow = board.queries.flow()
    return board.engine.store.read(lambda reading: calibrated(reading, flow))


def _their_ladders(request: SimulationRequest) -> list[str]:
    """Another flow has ladders of its own; the same flow keeps those of this side, unless others are named."""
    return request.against_ladders or ([] if request.against else request.ladders)


def _names(request: SimulationRequest, base: Flow) -> tuple[str, str]:
    """What tells the two sides apart, in a few words each."""
    flows = request.flow or request.preset or base.name
    a, b = [flows], [request.against or flows]
    a += [f"with {', '.join(request.ladders)}"] if request.ladders else []
    b += [f"with {', '.join(_their_ladders(request))}"] if _their_ladders(request) else []
    if request.against_population:
        a.append(f"population {request.population or 'default'}")
        b.append(f"population {request.against_population}")
    if request.against_slots:
        a.append(f"{request.slots or base.limits.slots} slots")
        b.append(f"{request.against_slots} slots")
    return ", ".join(a), ", ".join(b)


def _doubts(a: Side, b: Side) -> list[str]:
    """What should be known before the differences are believed."""
    if (a.flow, a.population, a.slots) == (b.flow, b.population, b.slots):
        return ["A and B are the same, so nothing can differ: change one of them"]
    if not a.flow.agents.keys() & b.flow.agents.keys():
        return ["A and B have no agent in common: they share the items and their difficulty, but no agent's luck"]
    return []


def _strangers(ladders: list[str], flow: Flow, population: Population) -> list[str]:
    """Models on a ladder that was asked for, of which the population has nothing to say."""
    known = sorted(population.models() - {OTHERS})
    rungs = dict.fromkeys(rung.model for agent in flow.agents.values() for rung in agent.ladder) if ladders else {}
    new = [model for model in rungs if model != RUNG_ESCALATE and model not in known]
    words = f"the population {population.name} has no figures for"
    return [f"{words} {shown(model)}: it is taken for any other model; {did_you_mean(model, known)}" for model in new]


def _other(name: str, read_flow: ReadFlow, notes: list[str]) -> Flow:
    """A preset by its name, or the flow in a file."""
    if name in preset_names():
        return _preset(name)
    path = os.path.join(name, FLOW_FILE) if os.path.isdir(name) else name
    if not os.path.exists(path):
        words = "--against {name} is no preset and no file"
        raise Invalid("unknown_flow", words, did_you_mean(name, preset_names()), shown(name), known=preset_names())
    flow, warnings = read_flow(path)
    notes += warnings
    return flow


def _with(flow: Flow, ladders: list[str], option: str, notes: list[str]) -> Flow:
    """The flow on other ladders: said in words, or from ladder files, which may be for several flows."""
    for said in ladders:
        if is_said(said):
            flow = with_ladders(flow, read_said(said, option))
            continue
        text = _text(said, "unreadable_ladders", f"name a ladder file, or say {option} dev-agent=0-1:haiku,2+:sonnet")
        found = read_ladder_file(text, os.path.normpath(said))
        unused = [name for name in found if name not in flow.agents]
        notes += [
            f"{said}: the flow {flow.name} has no agent {shown(name)}: that ladder is not used" for name in unused
        ]
        flow = with_ladders(flow, {name: rungs for name, rungs in found.items() if name in flow.agents})
    return flow


def _population(path: str | None, flows: list[Flow], option: str, notes: list[str]) -> list[Population]:
    """The same population for each of these flows; what is said of an agent that only one of them has is no fault."""
    if path is None:
        return [default_population(flow) for flow in flows]
    text = _text(path, "unreadable_population", f"write one: moot simulate --calibrate, or leave {option} out")
    found = []
    for flow in flows:
        population, warnings = population_from(text, os.path.normpath(path), flow, flows)
        notes += [words for words in warnings if words not in notes]
        found.append(population)
    return found


def _preset(name: str) -> Flow:
    files = read_preset(name)
    return load_flow(files[FLOW_FILE], FLOW_FILE, files.get)


def _text(path: str, code: str, hint: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Invalid(code, "{path} cannot be read: {why}", hint, path=path, why=str(error)) from error
