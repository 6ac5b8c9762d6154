"""Ladders said in a few words: `dev-agent=0-1:haiku,2-3:sonnet,4+:escalate`, to try them without another flow file."""

import json

from msgspec.structs import replace

from folkmoot.core.flow import Flow, Rung
from folkmoot.core.vocabulary.roles import role
from folkmoot.errors import Invalid
from folkmoot.flows.faults import FlowFaults, did_you_mean, shown
from folkmoot.flows.ladder_file import KEY, read_ladder_file

SHAPE = "write it like dev-agent=0-1:haiku,2-3:sonnet,4+:escalate, or name a ladder file"


def is_said(text: str) -> bool:
    """A ladder in words, and not the name of a file that has some."""
    return "=" in text


def read_said(text: str, option: str) -> dict[str, list[Rung]]:
    """The ladder of one agent; what is wrong with it is told in the words of a ladder file."""
    agent, _, said = text.partition("=")
    rungs = [part.partition(":") for part in said.split(",")]
    if not agent.strip() or any(not (low.strip() and model.strip()) for low, _, model in rungs):
        raise Invalid("bad_ladder", "{option} {given} is no ladder", SHAPE, option, shown(text))
    lines = [f"{json.dumps(failures.strip())}: {json.dumps(model.strip())}" for failures, _, model in rungs]
    try:
        return read_ladder_file(f"{KEY}: {{{json.dumps(agent.strip())}: {{{', '.join(lines)}}}}}", option)
    except FlowFaults as faults:
        first = faults.faults[0]
        words, hint = "{option} {given}: {why}", first.suggestion or SHAPE
        raise Invalid("bad_ladder", words, hint, option, shown(text), first.message) from faults


def with_ladders(flow: Flow, ladders: dict[str, list[Rung]]) -> Flow:
    """The same flow with these ladders in place of its own."""
    ladders = {role(name, flow.agents): rungs for name, rungs in ladders.items()}
    for name in ladders:
        if name not in flow.agents:
            words = "the flow {flow} has no agent {name} to put on a ladder"
            hint, known = did_you_mean(name, list(flow.agents)), list(flow.agents)
            raise Invalid("bad_ladder", words, hint, flow.name, shown(name), known=known)
    agents = {name: replace(agent, ladder=ladders.get(name, agent.ladder)) for name, agent in flow.agents.items()}
    return replace(flow, agents=agents)
