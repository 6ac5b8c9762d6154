"""What must fit together in a flow: every way leads to something that exists, to an end, and never round for ever."""

from folkmoot.core.flow import END, Agent, Column, Flow
from folkmoot.flows.faults import Findings, did_you_mean, shown


def check_flow(flow: Flow, findings: Findings) -> None:
    """Notes all faults between the parts. A part that is faulty in itself is not asked what follows from it."""
    check = _Check(flow, findings)
    check.start()
    for column in flow.columns.values():
        check.end(column) if column.name == END else check.column(column)
    for agent in flow.agents.values():
        check.agent(agent)
    for reason, column_name in flow.reasons.items():
        check.reason(reason, column_name)
    check.circles_of_the_flow()
    check.circles_of_escalation()


class _Check:
    def __init__(self, flow: Flow, findings: Findings) -> None:
        self._flow = flow
        self._findings = findings
        self._watching = {agent for column in flow.columns.values() for agent in column.agents}
        # A faulty column of which no agent could be read, or an agent's name that fits none, may be the one that is
        # meant: then nobody can say who watches nothing. Asked now, before the checks add faults of their own.
        faulty = findings.faulty_in("columns")
        read = {name for name, column in flow.columns.items() if column.agents}
        self._watchers_are_known = len(flow.columns) > 1 and faulty <= read and self._watching <= flow.agents.keys()

    def start(self) -> None:
        start = self._flow.start
        has_columns = len(self._flow.columns) > 1 or not self._findings.is_faulty("columns")
        if not has_columns or self._findings.is_faulty("start") or not self._exists(start, "start"):
            return
        if start == END:
            self._findings.fault(("start",), f"items would begin at their end, '{END}'", "name the first stage")
        elif self._is_off_the_flow(start):
            advice = f"name a column of kind flow{self._some_stages()}"
            self._findings.fault(("start",), f"items cannot begin in '{start}', which is beside the flow", advice)

    def end(self, column: Column) -> None:
        if column != Column(name=END) and not self._findings.is_faulty("columns", END):
            advice = f"leave {END}: empty, and put the work into a column before it"
            self._findings.fault(("columns", END), "items end here: nothing can watch it or come after it", advice)

    def column(self, column: Column) -> None:
        path = ("columns", column.name)
        for agent in column.agents:
            if agent not in self._flow.agents and (self._flow.agents or not self._findings.is_faulty("agents")):
                advice = did_you_mean(agent, list(self._flow.agents)) or f"add it: agents: {{{agent}: {{}}}}"
                self._findings.fault((*path, "agents"), f"there is no agent {shown(agent)}", advice)
        if column.human and column.agents:
            advice = "remove agents, or human: true"
            self._findings.fault((*path, "human"), f"people and '{column.agents[0]}' cannot both watch it", advice)
        if column.next is not None:
            self._next(column, column.next)
        if column.fix is not None:
            self._fix(column, column.fix)
        if not self._findings.is_faulty(*path):
            self._way_out(column)

    def agent(self, agent: Agent) -> None:
        path = ("agents", agent.name)
        if agent.name not in self._watching and self._watchers_are_known and not self._findings.is_faulty(*path):
            advice = f"name it in a column, like `agents: [{agent.name}]`, or remove it"
            self._findings.fault(path, "it watches no column, so it would never get an item", advice)
        target = agent.escalate_to
        if target is not None and self._exists(target, *path, "escalate_to") and not self._can_help(target):
            advice = f"name a column of kind escalation, or one with human: true{self._some_helpers()}"
            self._findings.fault((*path, "escalate_to"), f"'{target}' is a stage of the flow, no help", advice)

    def reason(self, reason: str, target: str) -> None:
        if not self._exists(target, "reasons", reason) or self._findings.is_faulty("columns", target):
            return
        if not self._is_off_the_flow(target) and not self._flow.columns[target].human:
            advice = f"name a column of kind escalation or backflow, or one with human: true{self._some_helpers()}"
            self._findings.fault(("reasons", reason), f"'{target}' is a stage of the flow, no help", advice)

    def circles_of_the_flow(self) -> None:
        stages = [column for column in self._flow.columns.values() if column.kind == "flow" and column.name != END]
        edges = {column.name: column.next for column in stages if column.next is not None}
        for circle in _circles(edges):
            way = " → ".join([*circle, circle[0]])
            is_watched = any(self._flow.columns[name].agents for name in circle)
            what = "never reach the end" if is_watched else "move on for ever, though nobody works on them"
            advice = f"let one of them lead on, at last to '{END}'; work goes back by fix, not by next"
            self._findings.fault(("columns", circle[-1], "next"), f"items {what}: {way}", advice)

    def circles_of_escalation(self) -> None:
        edges = {}
        for agent in self._flow.agents.values():
            column = self._flow.columns.get(agent.escalate_to or "")
            if column is not None and column.agents and column.agents[0] in self._flow.agents:
                edges[agent.name] = column.agents[0]
        for circle in _circles(edges):
            steps = [f"{name} → {self._flow.agents[name].escalate_to}" for name in circle]
            way = " → ".join([*steps, circle[0]])
            advice = "let the last of them escalate to a column with human: true"
            self._findings.fault(("agents", circle[-1], "escalate_to"), f"help is sought in a circle: {way}", advice)

    def _next(self, column: Column, target: str) -> None:
        path = ("columns", column.name, "next")
        if column.kind != "flow":
            does = "sends the item on by itself" if column.kind == "escalation" else "answers and sends the item back"
            self._findings.fault(path, f"a column of kind {column.kind} {does}", "remove next, or write kind: flow")
        elif self._exists(target, *path) and self._is_off_the_flow(target):
            advice = f"name a column of kind flow, or '{END}'; help is reached by escalate_to and reasons"
            self._findings.fault(path, f"'{target}' is beside the flow", advice)
        elif column.human:
            advice = f"answer with `moot answer QUESTION TEXT --to {target}`"
            self._findings.warn(path, "a plain answer does not send the item on: it would be asked about again", advice)

    def _fix(self, column: Column, target: str) -> None:
        path = ("columns", column.name, "fix")
        if not self._exists(target, *path) or self._findings.is_faulty("columns", target):
            return
        there = self._flow.columns[target]
        if target == column.name:
            self._findings.fault(path, "a column cannot send work back to itself", "name the stage that made the work")
        elif there.kind != "flow" or not there.agents:
            why = "nobody watches it" if there.kind == "flow" else f"it is of kind {there.kind}"
            advice = "name the stage that made the work, with agents of its own"
            self._findings.fault(path, f"nobody would repair anything in '{target}': {why}", advice)

    def _way_out(self, column: Column) -> None:
        path = ("columns", column.name)
        is_stage = column.kind == "flow"
        if not column.agents and not column.human and column.next is None:
            add = "add agents, next or human: true" if is_stage else "add agents or human: true"
            self._findings.fault(path, "items would wait there for ever", add)
        elif is_stage and column.next is None:
            advice = f"add next: {END}" if not column.human else "add next, or write kind: escalation"
            self._findings.fault(path, "items that are done here have nowhere to go", advice)

    def _exists(self, name: str, *path: str) -> bool:
        if name in self._flow.columns:
            return True
        # A column with an unreadable name may be the one that was meant.
        if len(self._flow.columns) > 1 or not self._findings.is_faulty("columns"):
            advice = did_you_mean(name, list(self._flow.columns))
            self._findings.fault(path, f"there is no column {shown(name)}", advice)
        return False

    def _is_off_the_flow(self, name: str) -> bool:
        return self._flow.columns[name].kind != "flow"

    def _can_help(self, name: str) -> bool:
        column = self._flow.columns[name]
        # A faulty column may become one that helps.
        return column.kind == "escalation" or column.human or self._findings.is_faulty("columns", name)

    def _some_stages(self) -> str:
        return _listed([c.name for c in self._flow.columns.values() if c.kind == "flow" and c.name != END])

    def _some_helpers(self) -> str:
        return _listed([c.name for c in self._flow.columns.values() if c.kind == "escalation" or c.human])


def _listed(names: list[str]) -> str:
    few = names[:6]
    return f" ({', '.join(few)}{', …' if len(names) > len(few) else ''})" if few else ""


def _circles(edges: dict[str, str]) -> list[list[str]]:
    """Every circle once, beginning with the member that stands first in `edges`; each name leads to one other."""
    rank = {name: place for place, name in enumerate(edges)}
    seen: set[str] = set()
    found = []
    for start in edges:
        way: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in seen:
            seen.add(name)
            way[name] = None
            name = edges.get(name)
        if name is not None and name in way:
            members = list(way)
            circle = members[members.index(name) :]
            first = circle.index(min(circle, key=rank.__getitem__))
            found.append(circle[first:] + circle[:first])
    return found
