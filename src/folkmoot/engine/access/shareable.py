"""A flow as those see it who only look, and those who read a page that was saved."""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import Clone, Flow

CLIENT = "client"  # the way to start an agent that only names whose program it is


def shareable(flow: Flow) -> Flow:
    """Without how this machine starts its programs, what they are given, and whom it tells: that is no part of the
    work. The commands of gates stay: they are what its proof means."""
    agents = {name: replace(agent, run=_named(agent.run), setup=[]) for name, agent in flow.agents.items()}
    gates = {name: replace(gate, setup=[]) for name, gate in flow.gates.items()}
    land = replace(flow.land, command=[], api=None)
    told: dict[str, Any] = {"notify": [], "notices": [], "mirror": None, "mirror_people": []}
    return replace(flow, clients={}, agents=agents, gates=gates, land=land, clone=Clone(), **told)


def _named(run: dict[str, Any]) -> dict[str, Any]:
    """That somebody starts it, and by which known client."""
    return {way: words if way == CLIENT else "" for way, words in run.items()}
