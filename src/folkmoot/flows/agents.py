"""The agents of a flow file: what may be said about one. What must fit together is in `checking`."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from folkmoot.core.enums import WRITE_RIGHTS
from folkmoot.core.flow import LANDING, Agent, Flow, Rung
from folkmoot.core.vocabulary.roles import role
from folkmoot.flows import keys
from folkmoot.flows.faults import Path, did_you_mean, shown
from folkmoot.flows.fields import Entries, Fields
from folkmoot.flows.ladder import read_ladder
from folkmoot.flows.running import Start, read_start
from folkmoot.flows.source import Node

AGENT_KEYS = list(keys.AGENT)
MAY = ["ask", "delegate", "dispatch", "split"]
AGENTS_MAX = 200
TIMEOUT_RANGE = (1.0, 7 * 86_400.0)
PROMPT_CHARACTERS_MAX = 1_000_000
# What these words mean in `messages`; an agent of that name could not be told from it.
EVERYBODY = {"any": "stands for every agent", "orchestrator": "stands for the rules themselves"}
TAKEN_NAMES = {**EVERYBODY, LANDING: "is the gate that brings finished work to its branch"}

ReadPrompt = Callable[[str], str | None]
Ladders = dict[str, list[Rung]]


def read_agents(fields: Fields, entries: Entries, read_prompt: ReadPrompt) -> dict[str, Agent]:
    path = ("agents",)
    if "agents" not in entries:
        fields.findings.fault(path, "there are no agents", "name each one that watches a column")
        return {}
    listed = fields.named(entries["agents"].value, path, "an agent")
    if len(listed) > AGENTS_MAX:
        fields.findings.fault(path, f"there are {len(listed)} agents", f"at most {AGENTS_MAX} fit on a board")
    for name in listed.keys() & TAKEN_NAMES.keys():
        fields.findings.fault((*path, name), f"this name is taken: it {TAKEN_NAMES[name]}", "choose another name")
    return {name: _agent(fields, name, entry.value, read_prompt) for name, entry in listed.items()}


def with_ladders(fields: Fields, agents: dict[str, Agent], ladders: Ladders) -> dict[str, Agent]:
    """The agents on the ladders of a ladder file, where it names them."""
    ladders = {role(name, agents): rungs for name, rungs in ladders.items()}
    for name in ladders.keys() - agents.keys():
        advice = did_you_mean(name, list(agents))
        what = f"the ladder file names {shown(name)}, which is no agent here: that ladder is not used"
        fields.findings.warn(("agents",), what, advice)
    return {name: replace(agent, ladder=ladders.get(name, agent.ladder)) for name, agent in agents.items()}


def with_start(agents: dict[str, Agent], start: Start) -> dict[str, Agent]:
    """The agents, experts too, started by the flow's own `run` where they have none."""
    return {name: agent if agent.run else replace(agent, run=dict(start)) for name, agent in agents.items()}


def _agent(fields: Fields, name: str, node: Node, read_prompt: ReadPrompt) -> Agent:
    path = ("agents", name)
    entries = fields.section(node, path, AGENT_KEYS)
    given: dict[str, Any] = {}
    if "run" in entries:
        given["run"] = read_start(fields, entries["run"].value, (*path, "run"))
    if "prompt" in entries:
        prompt, text = _prompt(fields, entries["prompt"].value, (*path, "prompt"), read_prompt)
        given["prompt"], given["instructions"] = prompt, text
    if "ladder" in entries:
        given["ladder"] = read_ladder(fields, entries["ladder"].value, (*path, "ladder"))
    if "expert" in entries and fields.boolean(entries["expert"].value, (*path, "expert")):
        given |= {"expert": True, "may": []}
    if "write" in entries:
        given["write"] = fields.choice(entries["write"].value, (*path, "write"), "the value", WRITE_RIGHTS) or "own"
    if "may" in entries:
        given["may"] = _may(fields, entries["may"].value, (*path, "may"))
    if "setup" in entries:
        given["setup"] = fields.commands(entries["setup"].value, (*path, "setup"))
    if "timeout" in entries:
        given["timeout"] = fields.span(entries["timeout"].value, (*path, "timeout"), *TIMEOUT_RANGE)
    if "network" in entries:
        given["network"] = fields.boolean(entries["network"].value, (*path, "network")) is not False
    return Agent(
        name=name,
        escalate_to=fields.given_name(entries, (*path, "escalate_to"), "the column's name"),
        experts=fields.names(entries, (*path, "experts"), "the expert's name"),
        needs=fields.names(entries, (*path, "needs"), "the label", or_one=True),
        **given,
    )


def _prompt(fields: Fields, node: Node, path: Path, read_prompt: ReadPrompt) -> tuple[str | None, str]:
    """The path of a prompt as written, and its text."""
    written = fields.inner_path(node, path, "the path of the prompt", "the flow's folder", "prompts/dev.md")
    if written is None:
        return None, ""
    text = read_prompt(written)
    if text is None:
        advice = "write that file, beside the flow, or leave the key out"
        fields.findings.fault(path, f"there is no file {shown(written)}", advice)
    elif len(text) > PROMPT_CHARACTERS_MAX:
        advice = f"at most {PROMPT_CHARACTERS_MAX} are read"
        fields.findings.fault(path, f"{shown(written)} has {len(text)} characters", advice)
    return written, text or ""


def _may(fields: Fields, node: Node, path: Path) -> list[str]:
    rights = [fields.choice(item, path, "the right", MAY) for item in fields.items(node, path)]
    return list(dict.fromkeys(right for right in rights if right is not None))


def with_implied(flow: Flow) -> Flow:
    """What follows from the flow need not be said twice: who watches the column that splits may split, and who is named
    as an expert and watches no column is one."""
    place = flow.columns.get(flow.discover or "")
    splits = place.agents if place is not None else []
    watching = {agent for column in flow.columns.values() for agent in column.agents}
    asked = {name for agent in flow.agents.values() for name in agent.experts} - watching
    changed: dict[str, Agent] = {}
    for name, agent in flow.agents.items():
        if name in splits and "split" not in agent.may:
            changed[name] = replace(agent, may=[*agent.may, "split"])
        elif name in asked and not agent.expert:
            rights = [] if agent.may == Agent(name=name).may else agent.may
            changed[name] = replace(agent, expert=True, may=rights)
    return replace(flow, agents={**flow.agents, **changed}) if changed else flow
