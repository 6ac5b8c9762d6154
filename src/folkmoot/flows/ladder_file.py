"""A file of ladders beside the flow: `model_ladder: {dev-agent: {0-1: glm-4, …}}`, for several boards or by machine."""

from folkmoot.core.flow import Flow, Rung
from folkmoot.flows.faults import Findings, FlowFaults, did_you_mean, shown
from folkmoot.flows.fields import Fields
from folkmoot.flows.ladder import check_steps, read_ladder
from folkmoot.flows.source import Mapping, Node, is_null, read_source

KEY = "model_ladder"


def read_ladder_file(text: str, name: str) -> dict[str, list[Rung]]:
    """The ladder of each agent in the file, or `FlowFaults` with all that is wrong with it; `name` is the file's name.

    `load_flow` and `read_flow` take the result as `ladders`. An agent listed without a ladder keeps its own.
    """
    findings = Findings(name)
    root = read_source(text, findings)
    ladders = _ladders(Fields(findings), root) if root is not None else {}
    if findings.faults:
        raise FlowFaults(name, findings.faults)
    return ladders


def check_ladder_file(text: str, name: str, flow: Flow) -> list[str]:
    """What its steps name, beside a flow: `FlowFaults` where that is no model; else the warnings."""
    findings = Findings(name)
    root = read_source(text, findings)
    if root is not None:
        _ladders(Fields(findings), root)
        check_steps(flow, findings)
    if findings.faults:
        raise FlowFaults(name, findings.faults)
    return [str(warning) for warning in findings.warnings]


def _ladders(fields: Fields, root: Node) -> dict[str, list[Rung]]:
    fields.findings.remember((), root.place)
    # Other keys belong to other tools: the file may be shared with them.
    entry = root.entries.get(KEY) if isinstance(root, Mapping) else None
    if entry is None or is_null(entry.value):
        fields.findings.fault((KEY,), "there are no ladders", _advice(root))
        return {}
    fields.findings.remember((KEY,), entry.key_place)
    agents = fields.named(entry.value, (KEY,), "an agent")
    ladders = {name: read_ladder(fields, agent.value, (KEY, name)) for name, agent in agents.items()}
    return {name: rungs for name, rungs in ladders.items() if rungs}


def _advice(root: Node) -> str:
    """What to write for a file without ladders; its key may only be mistyped."""
    for key in root.entries if isinstance(root, Mapping) else {}:
        if key != KEY and did_you_mean(key, [KEY]).startswith("did"):
            return f"write {KEY} for {shown(key)}"
    return f"begin with {KEY}:, and below it each agent with its ladder"
