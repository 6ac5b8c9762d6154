"""From the text of a flow file to the `Flow`: what may stand where. What must fit together is in `checking`."""

from collections.abc import Collection
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from folkmoot.core.flow import END, Flow
from folkmoot.flows import keys, running, sections
from folkmoot.flows.agents import AGENTS_MAX, Ladders, ReadPrompt, read_agents, with_implied, with_ladders, with_start
from folkmoot.flows.checking.agents import AgentCheck
from folkmoot.flows.checking.columns import ColumnCheck
from folkmoot.flows.checking.running import RunningCheck
from folkmoot.flows.columns import COLUMNS_MAX, read_columns, with_end
from folkmoot.flows.faults import Findings, FlowFaults
from folkmoot.flows.fields import NAME, Fields
from folkmoot.flows.ladder import check_steps
from folkmoot.flows.ladder_file import KEY as LADDER_KEY
from folkmoot.flows.landing.reading import read_land
from folkmoot.flows.source import Mapping, Node, read_source
from folkmoot.flows.targets.reading import check_kept_apart, read_notify

FLOW_KEYS = list(keys.FLOW)
# A key of a file beside the flow, and where what it says belongs.
ELSEWHERE = {LADDER_KEY: "put this block into .moot/escalation.yaml, or write each ladder at its agent: {ladder: …}"}


class ReadFlow(Struct, frozen=True, kw_only=True):
    """A flow that can be used, and what its author should know all the same: a line each, with file and place."""

    flow: Flow
    warnings: list[str]


def load_flow(
    text: str,
    name: str,
    read_prompt: ReadPrompt,
    ladders: Ladders | None = None,
    known_clients: Collection[str] = (),
) -> Flow:
    """The flow of this text, or `FlowFaults` with everything that is wrong with it.

    `name` is the file's name, for the faults. `read_prompt` gives the text of a prompt file by its path in the flow,
    or None if there is no such file. `ladders`, as `read_ladder_file` gives them, take the place of the flow's own
    for the agents they name; an agent that the flow does not have is a warning. `known_clients` are those that need no
    entry in `clients`; without any, nobody asks whether a client exists.
    """
    return read_flow(text, name, read_prompt, ladders, known_clients).flow


def read_flow(
    text: str,
    name: str,
    read_prompt: ReadPrompt,
    ladders: Ladders | None = None,
    known_clients: Collection[str] = (),
) -> ReadFlow:
    """As `load_flow`, with the warnings."""
    findings = Findings(name)
    root = read_source(text, findings)
    fields = Fields(findings)
    flow = _flow(fields, root, name, read_prompt, ladders or {}, known_clients) if root is not None else None
    if flow is None or findings.faults:
        raise FlowFaults(name, findings.faults)
    return ReadFlow(flow=flow, warnings=[str(warning) for warning in findings.warnings])


def _flow(
    fields: Fields, root: Node, file: str, read_prompt: ReadPrompt, ladders: Ladders, known_clients: Collection[str]
) -> Flow | None:
    fields.findings.remember((), root.place)
    if not isinstance(root, Mapping):
        advice = "begin with the keys columns: and agents:"
        fields.findings.fault((), "a flow is a mapping of keys to values", advice, root.place)
        return None
    entries = fields.section(root, (), FLOW_KEYS, elsewhere=ELSEWHERE)
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
        models=running.read_models(fields, entries),
        pools=running.read_pools(fields, entries),
        clients=running.read_clients(fields, entries),
        **read_notify(fields, entries),
        budget=running.read_budget(fields, entries),
        target=running.read_target(fields, entries),
        remote=running.read_remote(fields, entries),
        land=read_land(fields, entries),
        **sections.read_mirror(fields, entries),
        clone=sections.read_clone(fields, entries),
        secrets=sections.read_secrets(fields, entries),
        sandbox=running.read_sandbox(fields, entries),
        widen=running.read_widen(fields, entries),
    )
    flow = with_implied(flow)
    start = running.read_default_start(fields, entries)
    _check(flow, fields.findings, start, known_clients)
    # Only now, so that what is wrong with it was said once, at its place, and not of every agent.
    return replace(flow, agents=with_start(flow.agents, start))


def _check(flow: Flow, findings: Findings, start: running.Start, known_clients: Collection[str]) -> None:
    if len(flow.columns) > COLUMNS_MAX + 1 or len(flow.agents) > AGENTS_MAX:
        return  # that is said already, and looking for circles takes its time
    # Made before the columns are looked at: what it knows of them is what could be read of them.
    agents = AgentCheck(flow, findings)
    ColumnCheck(flow, findings).all()
    agents.all()
    check_steps(flow, findings)
    check_kept_apart(flow.notices, flow.clients, findings)
    RunningCheck(flow, findings, start, known_clients).all()


def _name_from(file: str) -> str:
    stem = PurePosixPath(file).stem
    return stem if NAME.fullmatch(stem) else "flow"
