"""From the text of a flow file to the `Flow`: what may stand where. What must fit together is in `check`."""

from pathlib import PurePosixPath

from msgspec import Struct

from folkmoot.core.flow import END, Flow
from folkmoot.flows import sections
from folkmoot.flows.agents import AGENTS_MAX, Ladders, ReadPrompt, read_agents, with_ladders
from folkmoot.flows.check import ColumnCheck
from folkmoot.flows.check_agents import AgentCheck
from folkmoot.flows.columns import COLUMNS_MAX, read_columns, with_end
from folkmoot.flows.faults import Findings, FlowFaults
from folkmoot.flows.fields import NAME, Fields
from folkmoot.flows.source import Mapping, Node, read_source

FLOW_KEYS = ["flow", "start", "discover", "arbiter", "limits", "columns", "agents", "reasons", "gates", "messages"]
FLOW_KEYS += ["questions", *sections.UNUSED]


class ReadFlow(Struct, frozen=True, kw_only=True):
    """A flow that can be used, and what its author should know all the same: a line each, with file and place."""

    flow: Flow
    warnings: list[str]


def load_flow(text: str, name: str, read_prompt: ReadPrompt, ladders: Ladders | None = None) -> Flow:
    """The flow of this text, or `FlowFaults` with everything that is wrong with it.

    `name` is the file's name, for the faults. `read_prompt` gives the text of a prompt file by its path in the flow,
    or None if there is no such file. `ladders`, as `read_ladder_file` gives them, take the place of the flow's own
    for the agents they name; an agent that the flow does not have is a warning.
    """
    return read_flow(text, name, read_prompt, ladders).flow


def read_flow(text: str, name: str, read_prompt: ReadPrompt, ladders: Ladders | None = None) -> ReadFlow:
    """As `load_flow`, with the warnings."""
    findings = Findings(name)
    root = read_source(text, findings)
    flow = _flow(Fields(findings), root, name, read_prompt, ladders or {}) if root is not None else None
    if flow is None or findings.faults:
        raise FlowFaults(name, findings.faults)
    return ReadFlow(flow=flow, warnings=[str(warning) for warning in findings.warnings])


def _flow(fields: Fields, root: Node, file: str, read_prompt: ReadPrompt, ladders: Ladders) -> Flow | None:
    fields.findings.remember((), root.place)
    if not isinstance(root, Mapping):
        advice = "begin with the keys columns: and agents:"
        fields.findings.fault((), "a flow is a mapping of keys to values", advice, root.place)
        return None
    entries = fields.section(root, (), FLOW_KEYS)
    columns = read_columns(fields, entries)
    flow = Flow(
        name=fields.given_name(entries, ("flow",), "the flow's name") or _name_from(file),
        start=fields.given_name(entries, ("start",), "the column's name") or next(iter(columns), END),
        columns=with_end(columns),
        agents=with_ladders(fields, read_agents(fields, entries, read_prompt), ladders),
        limits=sections.read_limits(fields, entries),
        reasons=sections.read_reasons(fields, entries),
        questions=sections.read_questions(fields, entries),
        discover=fields.given_name(entries, ("discover",), "the column's name"),
        arbiter=fields.given_name(entries, ("arbiter",), "the column's name"),
        gates=sections.read_gates(fields, entries),
        messages=sections.read_messages(fields, entries),
        models=sections.read_models(fields, entries),
        pools=sections.read_pools(fields, entries),
        clients=sections.read_clients(fields, entries),
        notify=sections.read_notify(fields, entries),
        budget=sections.read_budget(fields, entries),
        target=sections.read_target(fields, entries),
        mirror=sections.read_mirror(fields, entries),
    )
    sections.warn_of_unused(fields, entries)
    _check(flow, fields.findings)
    return flow


def _check(flow: Flow, findings: Findings) -> None:
    if len(flow.columns) > COLUMNS_MAX + 1 or len(flow.agents) > AGENTS_MAX:
        return  # that is said already, and looking for circles takes its time
    # Made before the columns are looked at: what it knows of them is what could be read of them.
    agents = AgentCheck(flow, findings)
    ColumnCheck(flow, findings).all()
    agents.all()


def _name_from(file: str) -> str:
    stem = PurePosixPath(file).stem
    return stem if NAME.fullmatch(stem) else "flow"
